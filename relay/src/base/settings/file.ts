import { existsSync, readFileSync } from "node:fs";
import { complaintOf, SETTINGS } from "@porchlight/shared/settings";
import { DEFAULT_SITE, type PublicSite } from "@porchlight/shared/site";
import { z } from "zod";
import { type CreditRules, creditRules, guardRules, leadRules, routeRule, webhookRules } from "../rules.ts";
import { complaintsOf, words } from "./complaints.ts";
import { origin, problem, signingSecret, web } from "./parsers.ts";
import type { Env, KeySource, Site, Tenants } from "./shape.ts";

const named = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 characters of A-Z a-z 0-9 _ -");
const checked = (parse: (given: string) => string) =>
  z.string().transform((given, context) => {
    try {
      return parse(given);
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : "is not valid" });
      return z.NEVER;
    }
  });

/** How a site's chat looks and behaves: what each setting may be stands in one list that the widget shares. */
const look = Object.fromEntries(
  Object.keys(SETTINGS).map((name) => [
    name,
    z
      .unknown()
      .superRefine((value, context) => {
        const message = value === undefined ? undefined : complaintOf(name, value);
        if (message !== undefined) context.addIssue({ code: "custom", message });
      })
      .optional(),
  ]),
) as Record<keyof typeof SETTINGS, z.ZodOptional<z.ZodUnknown>>;

const fileSchema = z.strictObject({
  accounts: z.record(
    named,
    z.strictObject({
      url: checked(web),
      key: z.string().min(1),
      rate: z.int().min(1).max(100_000).default(60),
      credits: creditRules.optional(),
    }),
  ),
  sites: z.record(
    named,
    z.strictObject({
      account: named,
      origins: z.array(checked(origin)).default([]),
      channel: z.string().min(1).max(64).default("website"),
      business: z.string().min(1).max(64).optional(),
      campaign: z.string().min(1).max(128).optional(),
      campaignFallback: z.boolean().default(false),
      leads: leadRules.optional(),
      webhook: webhookRules.optional(),
      guard: guardRules.optional(),
      messagesPerDay: z.int().min(1).max(10_000_000).optional(),
      mail: z.boolean().optional(),
      routes: z.array(routeRule).max(200).optional(),
      identitySecret: z.string().min(1).optional(),
      identityKeys: z
        .string()
        .regex(/^(https:\/\/|file:)/, 'must be the https address of a JWKS, or "file:PATH"')
        .optional(),
      requireIdentity: z.boolean().default(false),
      ...look,
    }),
  ),
});

/** Names of everything that an account may have, and a site beyond its look: a test holds the README to them. */
export const fileFields = {
  account: Object.keys(fileSchema.shape.accounts.valueType.shape),
  site: Object.keys(fileSchema.shape.sites.valueType.shape).filter((name) => !Object.hasOwn(look, name)),
};

function keySource(given: string, env: Env, where: string): KeySource {
  if (given.startsWith("file:")) return { file: given.slice("file:".length) };
  if (!given.startsWith("env:")) return problem(`${where} must be "env:NAME" or "file:PATH": no secrets in this file`);
  const value = env[given.slice("env:".length)];
  return value === undefined || value === ""
    ? problem(`${where} names ${given.slice("env:".length)}, which is not set`)
    : { value };
}

/** What is wrong with the accounts' keys of a file of which other things are wrong. */
function keyless(json: unknown, env: Env, known: readonly { field: string }[]): string[] {
  const { accounts } = (json ?? {}) as { accounts?: Record<string, { key?: unknown } | null> | null };
  return Object.entries(accounts ?? {}).flatMap(([id, account]) => {
    const where = `accounts.${id}.key`;
    const given = account?.key;
    if (typeof given !== "string" || known.some(({ field }) => field === where)) return [];
    try {
      keySource(given, env, where);
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  });
}

/** A secret as it stands now, of something that has one. */
function withSecret<T extends { secret: string }>(given: T, env: Env, where: string): T {
  const source = keySource(given.secret, env, `${where}.secret`);
  if (source === undefined) return problem(`${where}.secret is needed`);
  return { ...given, secret: "value" in source ? source.value : readFileSync(source.file, "utf8").trim() };
}

/** How a site's owner signs identities. @throws when nobody could be let in, or two ways are given */
function identityOf(
  given: { identitySecret?: string | undefined; identityKeys?: string | undefined; requireIdentity: boolean },
  env: Env,
  where: string,
): Pick<Site, "identity" | "requireIdentity"> {
  const { identitySecret: secret, identityKeys: keys, requireIdentity } = given;
  if (secret !== undefined && keys !== undefined) problem(`${where} has identitySecret and identityKeys: keep one`);
  if (secret === undefined && keys === undefined)
    return requireIdentity ? problem(`${where}.requireIdentity needs identitySecret or identityKeys`) : {};
  if (keys !== undefined) return { identity: { jwks: keys.replace(/^file:/, "") }, requireIdentity };
  const found = withSecret({ secret: secret ?? "" }, env, `${where}.identity`).secret;
  try {
    return { identity: { secret: signingSecret(found) }, requireIdentity };
  } catch (error) {
    return problem(`${where}.identitySecret ${error instanceof Error ? error.message : ""}`);
  }
}

/** An account's rules with the secret of its billing address. @throws when that address is needed and missing */
function creditsOf(given: CreditRules, env: Env, where: string): CreditRules {
  if (given.mode === "webhook" && given.billing === undefined) problem(`${where}.billing is needed in mode webhook`);
  return given.billing === undefined
    ? given
    : { ...given, billing: withSecret(given.billing, env, `${where}.billing`) };
}

/**
 * Sites and accounts of the configuration file, with their secrets as they stand now.
 * @throws Error that names every field that is wrong
 */
export function fromFile(path: string, env: Env): Tenants {
  const raw = existsSync(path) ? readFileSync(path, "utf8") : problem(`names ${path}, which does not exist`);
  let json: unknown;
  try {
    json = JSON.parse(raw);
  } catch (error) {
    problem(`${path} is not JSON: ${error instanceof Error ? error.message : ""}`);
  }
  const parsed = fileSchema.safeParse(json, { error: words });
  if (!parsed.success) {
    const complaints = complaintsOf(parsed.error);
    const wrong = complaints.map(({ field, message }) => `${field || "it"} ${message}`);
    return problem(`${path}: ${[...wrong, ...keyless(json, env, complaints)].join("; ")}`);
  }
  const { accounts, sites } = parsed.data;
  const wrong: string[] = [];
  /** What `read` gives; what it complains of is said with everything else, and nothing is returned then. */
  const attempt = <T>(read: () => T): T => {
    try {
      return read();
    } catch (error) {
      wrong.push(error instanceof Error ? error.message : String(error));
      return undefined as T;
    }
  };
  const tenants: Tenants = {
    accounts: Object.entries(accounts).map(([id, { url, key, rate, credits }]) => ({
      id,
      url,
      rate,
      key: attempt(() => keySource(key, env, `accounts.${id}.key`)),
      ...(credits === undefined ? {} : { credits: attempt(() => creditsOf(credits, env, `accounts.${id}.credits`)) }),
    })),
    sites: Object.entries(sites).map(
      ([id, { account, origins, channel, business, campaign, leads, webhook, routes, mail, ...rest }]) => {
        const { campaignFallback, guard, messagesPerDay, identitySecret, identityKeys, requireIdentity, ...chosen } =
          rest;
        if (!Object.hasOwn(accounts, account)) wrong.push(`sites.${id}.account names "${account}", which is not there`);
        return {
          public: { ...DEFAULT_SITE, ...(chosen as Partial<PublicSite>), id },
          account,
          origins,
          channel,
          business: business ?? id,
          campaign,
          campaignFallback,
          ...attempt(() => identityOf({ identitySecret, identityKeys, requireIdentity }, env, `sites.${id}`)),
          ...(routes === undefined ? {} : { routes }),
          ...(leads === undefined ? {} : { leads }),
          ...(mail === undefined ? {} : { mail }),
          ...(messagesPerDay === undefined ? {} : { messagesPerDay }),
          ...(guard === undefined ? {} : { guard: attempt(() => withSecret(guard, env, `sites.${id}.guard`)) }),
          ...(webhook === undefined ? {} : { webhook: attempt(() => withSecret(webhook, env, `sites.${id}.webhook`)) }),
        };
      },
    ),
  };
  return wrong.length === 0 ? tenants : problem(`${path}: ${wrong.join("; ")}`);
}
