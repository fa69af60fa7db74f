import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readSettings } from "../base/config.ts";
import { TABLE } from "../base/settings/table.ts";
import { settingsList } from "./settings.ts";

/** The rows of sites and accounts on the page, as texts: owner, name, value, origin. */
function rowsOf(env: Record<string, string>): string[] {
  const read = readSettings(env);
  if ("problems" in read) throw new Error(read.problems.join("\n"));
  const page = String(settingsList(read.settings, read.settings.sites));
  const rows = [...page.slice(page.indexOf("<h2>Accounts")).matchAll(/<tr>(<td.*?)<\/tr>/gs)];
  return rows.map(([, row = ""]) => row.replaceAll(/(<[^>]+>)+/g, "|"));
}

it("names the origin of each value of sites and accounts: the file, or the variable, but no default", () => {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-settings-"));
  const file = join(folder, "sites.json");
  const accounts = { main: { url: "https://service.example/v1", key: "env:MAIN_KEY" } };
  const shop = { account: "main", origins: ["https://shop.example"], leadsPerDay: 500, retention: { files: 30 } };
  writeFileSync(file, JSON.stringify({ accounts, sites: { shop } }));
  const env = { PORCHLIGHT_CONFIG: file, MAIN_KEY: "k", MESSAGES_PER_DAY: "9000", RETENTION_DAYS: "files=90 mails=14" };
  expect(rowsOf(env)).toEqual([
    "|main|url|https://service.example/v1|configuration file|",
    "|main|key|set; not shown|configuration file|",
    "|shop|origins|[&quot;https://shop.example&quot;]|configuration file|",
    "|shop|messagesPerDay|9000|MESSAGES_PER_DAY|",
    "|shop|leadsPerDay|500|configuration file|",
    "|shop|retention|{&quot;files&quot;:30,&quot;mails&quot;:14}|configuration file, RETENTION_DAYS|",
  ]);
  rmSync(folder, { recursive: true });
});

it("shows that a site of the file has identities, campaignFallback and mail, without its secrets", () => {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-settings-"));
  const file = join(folder, "sites.json");
  const accounts = { main: { url: "https://service.example/v1", key: "env:MAIN_KEY" } };
  const site = { account: "main", origins: ["https://shop.example"] };
  const signed = { ...site, identitySecret: "env:IDENTITY", campaignFallback: true, mail: false };
  const keyed = { ...site, identityKeys: "https://login.example/jwks.json" };
  writeFileSync(file, JSON.stringify({ accounts, sites: { signed, keyed } }));
  const secret = "32-bytes-or-more-of-random-text-0123456789";
  const rows = rowsOf({ PORCHLIGHT_CONFIG: file, MAIN_KEY: "k", IDENTITY: secret });
  expect(rows).toEqual(
    expect.arrayContaining([
      "|signed|identitySecret|set; not shown|configuration file|",
      "|signed|campaignFallback|true|configuration file|",
      "|signed|mail|false|configuration file|",
      "|keyed|identityKeys|https://login.example/jwks.json|configuration file|",
    ]),
  );
  expect(rows.join()).not.toContain(secret);
  rmSync(folder, { recursive: true });
});

it("names the variables of the environment where there is no configuration file", () => {
  const env = { SERVICE_URL: "https://service.example/v1", SERVICE_API_KEY: "k", SITE_TITLE: "Shop" };
  expect(rowsOf(env)).toEqual([
    "|default|url|https://service.example/v1|SERVICE_URL|",
    "|default|key|set; not shown|SERVICE_API_KEY|",
    "|default|title|Shop|SITE_TITLE|",
  ]);
});

/** Settings without which others are refused. */
const NEEDED = {
  SERVICE_URL: "https://service.example/v1",
  PUBLIC_URL: "https://chat.example",
  MAIL_FROM: "chat@shop.example",
  ALERT_WEBHOOK_SECRET: "a-secret-of-16-characters",
  IDENTITY_SECRET: "32-bytes-or-more-of-random-text-0123456789",
  S3_ACCESS_KEY_ID: "id",
  S3_SECRET_ACCESS_KEY: "secret",
};
/**
 * Settings that the page shows at no field: a secret; the file, whose fields have their own origin; and the relay's address, which
 * only raises the limit of file sizes.
 */
const NOT_SHOWN = ["IDENTITY_SECRET", "PORCHLIGHT_CONFIG", "PUBLIC_URL"];

/** The environment with or without one setting, and with the settings that it needs. */
function environmentWith(env: string, value: string | undefined): Record<string, string> {
  const { [env as keyof typeof NEEDED]: _, ...others } = NEEDED;
  const needs = env === "ALERT_MAIL" ? { SMTP_URL: TABLE.smtpUrl.example } : {};
  return { ...others, ...needs, ...(value !== undefined && { [env]: value }) };
}

/** The values of sites and accounts; nothing when the environment is refused. */
function valuesOf(env: Record<string, string>): string | undefined {
  const read = readSettings(env);
  return "problems" in read ? undefined : JSON.stringify([read.settings.sites, read.settings.accounts]);
}

it("names every variable that changes a field of a site or an account, and no other", () => {
  const wrong = Object.values(TABLE).flatMap((field) => {
    const { env, fallback } = field;
    if (NOT_SHOWN.includes(env)) return [];
    const example = "example" in field ? [field.example] : [];
    const words = ["1", "200", "true", "link", "embed", "debug", import.meta.filename];
    const values = [...example, String(Number(fallback) - 1), ...words].filter(
      (each) => each !== fallback && valuesOf(environmentWith(env, each)) !== undefined,
    );
    const changing = values.find(
      (each) => valuesOf(environmentWith(env, each)) !== valuesOf(environmentWith(env, undefined)),
    );
    const value = changing ?? values[0];
    if (value === undefined) return [`${env}: no valid value`];
    const isNamed = rowsOf(environmentWith(env, value)).some((row) => row.split(/[|,] ?/).includes(env));
    return isNamed === (changing !== undefined) ? [] : [`${env}=${value}: the page names it: ${isNamed}`];
  });
  expect(wrong).toEqual([]);
});
