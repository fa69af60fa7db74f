import { readFileSync } from "node:fs";
import { type Fields, isFields } from "@porchlight/shared/json-fields";
import { SETTINGS, settingProblemOf } from "@porchlight/shared/settings";
import { DEFAULT_SITE, type PublicSite } from "@porchlight/shared/site";
import { z } from "zod";
import { creditRules, guardRules, leadRules, retentionRules, routeRule, webhookRules } from "../rules.ts";
import { exampleAt, FILE_EXAMPLE, nearest, suggestionFor } from "./examples.ts";
import { type FieldProblem, fieldProblemsOf, issueText, UNKNOWN } from "./issues.ts";
import { assertPrivate, origin, problem, signingSecret, webAddress } from "./parsers.ts";
import { literalSecret, plainValue } from "./problems.ts";
import type { Account, Env, KeySource, Site, Tenants } from "./shape.ts";
import { WORD_KEYS } from "./wordkeys.ts";

const validName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 characters of A-Z a-z 0-9 _ -");
/** A text that a parser of `parsers.ts` accepts. The parser's error becomes an issue of the field. */
const checked = (parse: (given: string) => string) =>
  z.string().transform((given, context) => {
    try {
      return parse(given);
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : "is not valid" });
      return z.NEVER;
    }
  });

/** The chat's settings, from the table that relay and widget share. */
const chatSettings = Object.fromEntries(
  Object.keys(SETTINGS).map((name) => [
    name,
    z
      .unknown()
      .superRefine((value, context) => {
        const message = value === undefined ? undefined : settingProblemOf(name, value);
        if (message !== undefined) context.addIssue({ code: "custom", message });
      })
      .optional(),
  ]),
) as Record<keyof typeof SETTINGS, z.ZodOptional<z.ZodUnknown>>;

/** A record with at least one entry. */
const nonEmptyRecord = <Value extends z.ZodType>(value: z.ZodRecord<typeof validName, Value>, what: string) =>
  value.refine((all) => Object.keys(all).length > 0, `must name at least one ${what}`);

const accountSchema = z.strictObject({
  url: checked(webAddress),
  key: z.string().min(1),
  rate: z.int().min(1).max(100_000).default(60),
  credits: creditRules.optional(),
});

const siteSchema = z.strictObject({
  account: validName,
  origins: z.array(checked(origin)).default([]),
  channel: z.string().min(1).max(64).default("website"),
  business: z.string().min(1).max(64).optional(),
  campaign: z.string().min(1).max(128).optional(),
  campaignFallback: z.boolean().default(false),
  leads: leadRules.optional(),
  webhook: webhookRules.optional(),
  guard: guardRules.optional(),
  messagesPerDay: z.int().min(0).max(10_000_000).optional(),
  leadsPerDay: z.int().min(0).max(10_000_000).optional(),
  mail: z.boolean().optional(),
  retention: retentionRules.optional(),
  routes: z.array(routeRule).max(200).optional(),
  identitySecret: z.string().min(1).optional(),
  identityKeys: z
    .string()
    .regex(/^(https:\/\/|file:)/, 'must be the https address of a JWKS, or "file:PATH"')
    .optional(),
  requireIdentity: z.boolean().default(false),
  ...chatSettings,
});

const fileSchema = z.strictObject({
  accounts: nonEmptyRecord(z.record(validName, accountSchema), "account"),
  sites: nonEmptyRecord(z.record(validName, siteSchema), "site"),
});

/** The names of the fields of an account, and of a site without the chat's settings. A test compares the guide with them. */
export const fileFields = {
  account: Object.keys(accountSchema.shape),
  site: Object.keys(siteSchema.shape).filter((name) => !Object.hasOwn(chatSettings, name)),
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The source of a key: `env:NAME` or `file:PATH`. @throws Error whose message follows the path of the field */
function keySource(given: string, env: Env): NonNullable<KeySource> {
  if (given.startsWith("file:")) {
    const file = given.slice("file:".length);
    readSecret(file);
    return { file };
  }
  if (!given.startsWith("env:")) return problem('must be "env:NAME" or "file:PATH": no secrets in this file');
  const name = given.slice("env:".length);
  const value = env[name]?.trim();
  if (value === undefined || value === "") return problem(`names ${name}, which is not set`);
  return { value: valueNamed(name, value) };
}

/** Checks the value of a variable. @throws Error that names the variable */
function valueNamed(name: string, value: string): string {
  try {
    return plainValue(literalSecret(value));
  } catch (error) {
    return problem(`names ${name}, which ${messageOf(error)}`);
  }
}

/**
 * Reads a secret from a file, which must not be empty.
 * @throws Error whose message follows the path of the field or the name of the variable
 */
export function readSecret(file: string): string {
  let secret: string;
  try {
    secret = readFileSync(file, "utf8").trim();
  } catch (error) {
    return problem(`names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  return secret || problem(`names ${file}, which is empty`);
}

/** Checks that a file holds a set of public keys (RFC 7517 section 5). @throws Error whose message follows the path of the field */
function assertKeySet(file: string): void {
  const text = readSecret(file);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Without the parser's own message, which quotes the file: it may be a secret that is named here by mistake.
    problem(`names ${file}, which is not JSON`);
  }
  if (!isFields(json) || !Array.isArray(json.keys) || !json.keys.every(isFields))
    problem(`names ${file}, which is not a JWKS like {"keys": [{"kty": …}]}`);
}

/** The secret that a field names. @throws Error whose message follows the path of the field */
function secretIn(given: string, env: Env): string {
  const source = keySource(given, env);
  return "value" in source ? source.value : readSecret(source.file);
}

/** The fields of a value; none unless it is an object. */
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** A check that depends on the environment, on files or on another field, which a schema cannot do. */
type Check = (env: Env, file: Fields) => void;

/** A check of a text field. Other types are left to the schema. */
const ofText = (value: unknown, check: (text: string, env: Env, file: Fields) => unknown): Check[] =>
  typeof value === "string" && value !== "" ? [(env, file) => void check(value, env, file)] : [];

/** Creates a function that pairs checks with the path of the field `at`, below `path`. */
const checksBelow =
  (path: string) =>
  (at: string, checks: Check[]): [path: string, check: Check][] =>
    checks.map((check) => [`${path}.${at}`, check]);

function accountChecks(path: string, account: Fields, insecure: boolean): [path: string, check: Check][] {
  const { mode, billing } = fieldsOf(account.credits);
  const below = checksBelow(path);
  return [
    ...below("url", insecure ? [] : ofText(account.url, assertPrivate)),
    ...below("key", ofText(account.key, keySource)),
    ...below("credits.billing.secret", ofText(fieldsOf(billing).secret, secretIn)),
    ...below(
      "credits.billing",
      mode === "webhook" && billing === undefined ? [() => problem("is required in mode webhook")] : [],
    ),
  ];
}

/** Checks that a site has one kind of identity keys, and has one if it requires identities. @throws Error */
function identityCheck({ identitySecret, identityKeys, requireIdentity }: Fields): void {
  if (identitySecret !== undefined && identityKeys !== undefined) problem("and identityKeys are both set: keep one");
  if (identitySecret === undefined && identityKeys === undefined && requireIdentity === true)
    problem("or identityKeys is required, because requireIdentity is set");
}

/** Checks that each key names a text of the chat. @throws AggregateError */
function wordsCheck(value: unknown): void {
  const unknown = Object.keys(fieldsOf(value)).filter((key) => !WORD_KEYS.includes(key));
  if (unknown.length > 0)
    throw new AggregateError(
      unknown.map((key) => {
        const meant = nearest(key, WORD_KEYS);
        return new Error(
          `has "${key}", which is not the key of a text${meant === undefined ? "" : `; did you mean "${meant}"?`}`,
        );
      }),
    );
}

function siteChecks(path: string, site: Fields): [path: string, check: Check][] {
  const below = checksBelow(path);
  return [
    ...below(
      "account",
      ofText(site.account, (name, _env, { accounts }) => {
        const all = Object.keys(fieldsOf(accounts));
        return all.includes(name) || problem(`names "${name}", which is not one of accounts (${all.join(", ")})`);
      }),
    ),
    ...below("identitySecret", [() => identityCheck(site)]),
    ...below(
      "identitySecret",
      ofText(site.identitySecret, (given, env) => signingSecret(secretIn(given, env))),
    ),
    ...below(
      "identityKeys",
      ofText(site.identityKeys, (given) => given.startsWith("file:") && assertKeySet(given.slice("file:".length))),
    ),
    ...below("webhook.secret", ofText(fieldsOf(site.webhook).secret, secretIn)),
    ...below("guard.secret", ofText(fieldsOf(site.guard).secret, secretIn)),
    ...below("strings", [() => wordsCheck(site.strings)]),
  ];
}

/** All problems of the file. */
function problemsIn(json: unknown, parsed: z.ZodSafeParseResult<unknown>, env: Env, insecure: boolean): FieldProblem[] {
  const file = fieldsOf(json);
  const checks = [
    ...Object.entries(fieldsOf(file.accounts)).flatMap(([id, one]) =>
      accountChecks(`accounts.${id}`, fieldsOf(one), insecure),
    ),
    ...Object.entries(fieldsOf(file.sites)).flatMap(([id, one]) => siteChecks(`sites.${id}`, fieldsOf(one))),
  ];
  return [
    ...(parsed.success ? [] : fieldProblemsOf(parsed.error)),
    ...checks.flatMap(([field, check]) => {
      try {
        check(env, file);
        return [];
      } catch (error) {
        const all = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
        return all.map((one) => ({ field, message: messageOf(one) }));
      }
    }),
  ];
}

/** A problem as one line: field, message, and a valid example. */
function lineOf({ field, message }: FieldProblem): Error {
  const unknown = message === UNKNOWN;
  const example = unknown ? suggestionFor(field) : field === "" ? FILE_EXAMPLE : exampleAt(field);
  const hint = example === undefined ? "" : `; for example ${example}`;
  return new Error(`${field || "it"} ${message}${hint}`);
}

type FileAccount = z.output<typeof accountSchema>;
type FileSite = z.output<typeof siteSchema>;

/** The rule, with the secret itself in place of its source. */
const withSecret = <T extends { secret: string }>(given: T, env: Env): T => ({
  ...given,
  secret: secretIn(given.secret, env),
});

function accountOf(id: string, { url, key, rate, credits }: FileAccount, env: Env): Account {
  const billing = credits?.billing;
  return {
    id,
    url,
    rate,
    key: keySource(key, env),
    ...(credits === undefined
      ? {}
      : { credits: { ...credits, ...(billing && { billing: withSecret(billing, env) }) } }),
  };
}

function siteOf(id: string, site: FileSite, env: Env): Site {
  const { account, origins, channel, business, campaign, campaignFallback, leads, webhook, routes, mail, ...rest } =
    site;
  const { guard, retention, messagesPerDay, leadsPerDay, identitySecret, identityKeys, requireIdentity, ...chosen } =
    rest;
  return {
    public: { ...DEFAULT_SITE, ...(chosen as Partial<PublicSite>), id },
    account,
    origins,
    channel,
    business: business ?? id,
    campaign,
    campaignFallback,
    ...(identitySecret === undefined ? {} : { identity: { secret: secretIn(identitySecret, env) }, requireIdentity }),
    ...(identityKeys === undefined ? {} : { identity: { jwks: identityKeys.replace(/^file:/, "") }, requireIdentity }),
    ...(routes === undefined ? {} : { routes }),
    ...(leads === undefined ? {} : { leads }),
    ...(mail === undefined ? {} : { mail }),
    ...(messagesPerDay === undefined ? {} : { messagesPerDay }),
    ...(leadsPerDay === undefined ? {} : { leadsPerDay }),
    ...(retention === undefined ? {} : { retention }),
    ...(guard === undefined ? {} : { guard: withSecret(guard, env) }),
    ...(webhook === undefined ? {} : { webhook: withSecret(webhook, env) }),
  };
}

/** The content of the file. @throws Error when it cannot be read, or is not JSON */
function jsonIn(path: string): unknown {
  const hint = "for example PORCHLIGHT_CONFIG=/etc/porchlight/sites.json";
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code;
    return problem(`names ${path}, which ${why === "ENOENT" ? "does not exist" : `cannot be read (${why})`}; ${hint}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    return problem(`${path} is not JSON: ${messageOf(error)}; for example ${FILE_EXAMPLE}`);
  }
}

/**
 * Reads sites, accounts and their secrets from the configuration file.
 * @param insecure whether a service may be called over plain http
 * @throws AggregateError with one error for each invalid field
 */
export function fromFile(path: string, env: Env, insecure: boolean): Tenants {
  const json = jsonIn(path);
  const parsed = fileSchema.safeParse(json, { error: issueText });
  const problems = problemsIn(json, parsed, env, insecure);
  if (!parsed.success || problems.length > 0)
    throw new AggregateError(problems.map(lineOf).map(({ message }) => new Error(`${path}: ${message}`)));
  const { accounts, sites } = parsed.data;
  const names = (kind: string, id: string): string[] => Object.keys(fieldsOf(fieldsOf(fieldsOf(json)[kind])[id]));
  return {
    accounts: Object.entries(accounts).map(([id, account]) => ({
      ...accountOf(id, account, env),
      fromFile: names("accounts", id),
    })),
    sites: Object.entries(sites).map(([id, site]) => ({ ...siteOf(id, site, env), fromFile: names("sites", id) })),
  };
}
