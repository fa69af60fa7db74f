import { html } from "hono/html";
import type { Settings, Site } from "../base/config.ts";
import { cellWithCode } from "../base/with-code.ts";
import { brief, type Cell, type Html, table } from "./html.ts";

/** How identities are verified, by the names of the configuration file, without secrets. */
const identityValues = (identity: Site["identity"]): Record<string, string | undefined> =>
  identity === undefined
    ? {}
    : "secret" in identity
      ? { identitySecret: "set; not shown" }
      : { identityKeys: identity.jwks };

/** The values of a site, without secrets. */
function siteValues({
  public: publicSettings,
  origins,
  channel,
  business,
  campaign,
  campaignFallback,
  mail,
  ...rest
}: Site): [string, unknown][] {
  const { messagesPerDay, leadsPerDay, retention, routes, leads, requireIdentity, webhook, guard, identity } = rest;
  const own = { origins, channel, business, campaign, campaignFallback, messagesPerDay, leadsPerDay, mail };
  const { id: _, ...chosen } = publicSettings;
  const addresses = { webhook: webhook?.url, guard: guard?.url };
  const ofIdentity = { ...identityValues(identity), requireIdentity };
  return Object.entries({ ...own, retention, routes, leads, ...ofIdentity, ...addresses, ...chosen });
}

type SettingsInForce = Pick<Settings, "inForce" | "accounts">;

/** The variables of the environment that set a field of every site or account, unless the configuration file does. */
const VARIABLES: Record<string, readonly string[]> = {
  url: ["SERVICE_URL"],
  key: ["SERVICE_API_KEY", "SERVICE_API_KEY_FILE"],
  origins: ["ALLOWED_ORIGINS"],
  title: ["SITE_TITLE"],
  requireIdentity: ["REQUIRE_IDENTITY"],
  messagesPerDay: ["MESSAGES_PER_DAY"],
  leadsPerDay: ["LEADS_PER_DAY"],
  uploads: ["UPLOAD_IMAGE_MB", "UPLOAD_AV_MB", "UPLOAD_DOCUMENT_MB", "MEDIA_MODE"],
  mail: ["SMTP_URL"],
  emailOffer: ["SMTP_URL"],
  retention: ["RETENTION_DAYS"],
};

/** The rows of a site or an account: owner, name, value and origin of each field that is not a default. */
function ownedRows(
  owner: { id: string; fromFile: readonly string[] | undefined },
  values: readonly (readonly [string, unknown])[],
  inForce: Settings["inForce"],
): Cell[][] {
  const set = new Set(inForce.filter(({ origin }) => origin === "environment").map(({ env }) => env));
  return values.flatMap(([name, value]) => {
    const isFromFile = owner.fromFile?.includes(name) === true;
    // The file's value replaces the variable's. For retention, the file may replace only some of the kinds.
    const variables = isFromFile && name !== "retention" ? [] : (VARIABLES[name] ?? []);
    const from = [...(isFromFile ? ["configuration file"] : []), ...variables.filter((each) => set.has(each))];
    if (value === undefined || from.length === 0) return [];
    const text = brief(typeof value === "string" ? value : JSON.stringify(value), 300);
    return [[owner.id, html`<code class="name">${name}</code>`, text, from.join(", ")]];
  });
}

/** An account's values, without secrets. */
const accountValues = ({ url, key, rate, credits }: Settings["accounts"][number]): [string, unknown][] => [
  ["url", url],
  ["key", key === undefined ? "not set" : "file" in key ? `read from ${key.file}` : "set; not shown"],
  ["rate", rate],
  ["credits", credits && { ...credits, ...(credits.billing && { billing: credits.billing.url }) }],
];

/** The page of the settings in force, and where each comes from. */
export function settingsList({ inForce, accounts }: SettingsInForce, sites: readonly Site[]): Html {
  const file = inForce.find(({ env }) => env === "PORCHLIGHT_CONFIG")?.value ?? "";
  const rows = inForce.map(({ env, value, origin: from, help }) => [
    html`<code class="name">${env}</code>`,
    value === "" ? null : value,
    from,
    cellWithCode(help),
  ]);
  const headings = (owner: string) => [owner, "Setting", "Value", "From"];
  const ofAccounts = accounts.flatMap((each) =>
    ownedRows({ id: each.id, fromFile: each.fromFile }, accountValues(each), inForce),
  );
  const ofSites = sites.flatMap((site) =>
    ownedRows({ id: site.public.id, fromFile: site.fromFile }, siteValues(site), inForce),
  );
  return html`<p>This page is read-only. <a href="/admin/doctor">Doctor</a> tests the settings${file === "" ? "" : html`; <code>porchlight reload --dry-run</code> compares <code>${file}</code> with what is in force`}.</p>
<h2>Environment</h2>
${table("Settings", ["Setting", "Value", "From", "What it is"], rows, "")}
<h2>Accounts</h2>
${table("Settings of accounts", headings("Account"), ofAccounts, "")}
<h2>Sites</h2>
${table("Settings of sites", headings("Site"), ofSites, "Every setting of the sites has its default.")}
<p class="note">Sites and accounts: only what differs from the defaults.</p>`;
}
