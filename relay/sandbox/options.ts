/**
 * Every option of the sandbox, declared once (BEHAVIOUR 4.11). The first value of each is the strict reading of the interface.
 * The environment (main.ts), the control API (`PATCH /__sandbox/config`) and `startSandbox({ config })` read this table.
 */

import { BOTS, type BotScript, isScript } from "./bots.ts";
import { type FaultRule, isFaultRule } from "./fault.ts";
import { count, flag, limit, type Option, oneOf, option, record, span, text, texts } from "./option.ts";

/** Not a secret: it exists to catch clients that forget to percent-encode. */
export const DEFAULT_KEY = "sbx+key/with=odd&chars";

const isStatus = (value: unknown) => typeof value === "number" && value >= 200 && value <= 599;
const isText = (value: unknown) => typeof value === "string";
const anything = () => true;
const url = (help: string): Option<string> =>
  option(help, "", 'an http(s) address, or ""', (v) => v === "" || (isText(v) && /^https?:/.test(String(v))));

/** The header styles in which a service states its rate limit; `none` sends no header. */
export const RATE_STYLES = [
  "retryAfterSeconds",
  "retryAfterDate",
  "retryAfterMs",
  "ietf6",
  "ietf8",
  "xEpoch",
  "resetAfter",
  "none",
] as const;

const transport = {
  basePath: option("Path of the API's base address (R-001)", "/v1", 'a path such as "/v1"', (v) =>
    /^(\/[\w.-]+)+$/.test(`${v}`),
  ),
  requireHttps: flag("Refuse requests without X-Forwarded-Proto: https (R-002)", false),
  httpsRejection: oneOf("How plain HTTP is refused (R-002)", 400, 403, "close"),
  redirectOnce: url("Address to which the next API request is redirected, once (R-003)"),
  acceptForm: flag("Accept form-encoded bodies too (R-004)", false),
  methodMismatch: oneOf("Answer to a known path with another method (R-411)", 405, 404),
  rejectUnknownFields: flag("Refuse unknown request fields (R-008)", true),
  coerceTypes: flag("Accept numbers and booleans for strings, and numeric strings for numbers (R-010)", false),
};

const time = {
  latencyMs: span("Delay before each API request is checked (R-011)", 0),
  processingDelayMs: span("Delay from the 200 of an incoming message to its processing (R-461)", 0),
  botDelayMs: span("Delay before the bot's first part, in addition to the script's own", 0),
  clock: oneOf("Real time, or virtual time that changes only when it is advanced", "real", "virtual"),
};

const faults = {
  errorRate: option<readonly FaultRule[]>(
    "Random faults: [{route, rate, kind, status?, when?, ms?}]",
    [],
    "rules",
    (v) => (Array.isArray(v) ? v.every(isFaultRule) : false),
  ),
  forceStatus: record<number>("Status of every answer, per route name (R-012)", "{route: status}", isStatus),
  errorBody: oneOf("Format of error bodies (R-006)", "json", "string", "html", "empty"),
};

const rate = {
  rateLimit: count("Requests per key and window; 0: no limit (R-801)", 120),
  rateWindowMs: count("Length of the rate limit's window in ms (R-801)", 60_000),
  rateWindow: oneOf("Kind of the rate limit's window (R-801)", "fixed", "sliding"),
  rateHeaders: oneOf("Headers of a 429 (R-802)", ...RATE_STYLES),
  countRefused: flag("Count refused calls too (R-803)", false),
};

const shapes = {
  createStatus: oneOf("Answer to a new contact (R-421)", 201, 200),
  existingStatus: oneOf("Answer to a known phone (R-421)", 200, 201, 409, "soft409"),
  createShape: oneOf("Body of a created contact (R-422)", "contact", "wrapped", "idOnly", "renamed"),
  lookupShape: oneOf("Body of a look-up (R-431)", "contact", "wrapped", "idOnly", "array", "observed"),
  lookupNotFound: oneOf("Answer to a look-up without result (R-432)", 404, "200null", "200empty", "200false"),
  listAddStatus: oneOf("Answer to a list add (R-441)", 200, 201, 204),
  listDuplicate: oneOf("Answer when the contact is already on the list (R-243)", 200, 409, 400),
  duplicateAnswer: oneOf("Answer to a known messageSid (R-223)", "same200", "new200", 409, 400),
  errorShape: oneOf("Shape of error bodies (R-501)", "auto", "general", "string", "plain", "observed"),
  soft200Errors: flag("Send errors as 200 with success:false and error_code (R-007)", false),
  numericIds: flag("Send ids as JSON numbers (R-009)", false),
  responseExtras: record<unknown>("Extra fields of every successful answer (R-009)", "an object", anything),
  responseOmit: texts("Fields omitted from every successful answer (R-009)"),
  placeholders: flag("Send absent names and emails as Unknown (R-207)", false),
  nullsForMissing: flag("Send absent fields as null (R-210)", false),
  messageIdEqualsSid: flag("Use the client's messageSid as messageId (R-221)", false),
};

const semantics = {
  contactUpdateOnIncoming: oneOf(
    "How new names and email of a known contact are stored (R-101)",
    "never",
    "fillMissing",
    "overwrite",
  ),
  dedupeByEmail: flag("The same email gives the same contact (R-204)", false),
  linkContacts: oneOf(
    "Whether contacts from /contacts and from a fromId are linked (R-206)",
    "none",
    "email",
    "fromIdEqualsPhoneOrEmail",
  ),
  mergeOnDuplicate: flag("Store the new names and email of a known phone (R-205)", false),
  phoneStrictness: oneOf("Accepted forms of phone numbers (R-201)", "e164", "plusOnly", "strip"),
  phoneMatch: oneOf("When two phone numbers are the same (R-202)", "normalised", "exact", "digits"),
  rawPlusOk: flag("Accept a raw + in the look-up's query (R-433)", false),
  emailValidation: oneOf("Check email addresses (R-203)", "basic", "off"),
  emailMatch: oneOf("Which of several contacts with one email is found (R-435)", "oldest", "newest"),
  bodyOptionalWithMedia: flag("A file needs no body (R-230)", false),
  reactionTriggersBot: flag("The bot answers reactions (R-235)", false),
  reactionValidation: oneOf("Accepted bodies of a reaction (R-235)", "any", "emoji"),
  unknownMessageType: oneOf("How other values of messageType are treated (R-242)", 400, "text"),
  knownCampaigns: texts("Existing campaign ids, besides the seeded ones (R-105)"),
  unknownCampaign: oneOf("How an unknown campaignId is treated (R-105)", "ignore", 400, 404),
  processInOrder: flag("Process messages in the order of their arrival (R-465)", true),
  dedupeScope: oneOf("Scope in which a messageSid is unique (R-223)", "account", "fromId"),
  dedupeTtlMs: limit("How long a messageSid is remembered; null: forever (R-223)", null),
  fromIdMaxLen: limit("Longest fromId (R-225)", null),
  maxBodyChars: limit("Longest body (R-209)", null),
  maxNameChars: limit("Longest name (R-209)", null),
};

const media = {
  mediaFetch: option<"off" | "immediate" | number>(
    "When a media link is fetched (R-234)",
    "immediate",
    '"off", "immediate", or milliseconds',
    (v) => v === "off" || v === "immediate" || (typeof v === "number" && v >= 0),
  ),
  mediaFetchTimeoutMs: count("Time limit for fetching a media link, in ms (R-234)", 10_000),
  mediaFailure: oneOf("How an unreachable media link is treated (R-234)", "ignore", 400),
  allowHttpMedia: flag("Accept http: media links of loopback hosts (R-233)", false),
  sniffBytes: flag("Check that embedded bytes have the stated type (R-237)", false),
  maxRequestBytes: count("Largest request body (R-241)", 25 * 1024 * 1024),
  oversizeStatus: oneOf("Answer to a larger request body (R-241)", 413, 400),
};

const auth = {
  apiKey: option("The account's key (R-502)", DEFAULT_KEY, "a string that is not empty", (v) => isText(v) && v !== ""),
  agencyKey: option<string | null>(
    'Key of the agency; null: the account itself is an agency; "": there is no agency (R-483)',
    null,
    "a string or null",
    (v) => v === null || isText(v),
  ),
  acceptEitherAuth: flag("Accept the key as header or query on every endpoint (R-484)", false),
  nonAgency: oneOf("Answer to credits with the key of a non-agency account (R-483)", 400, 401, 403),
  userId: text("The account owner's user id, in every callback (R-506)", "usr_sandbox_owner"),
};

const bot = {
  botActive: flag("The AI bot answers incoming messages (R-102)", true),
  botScript: option<BotScript>(
    "The bot's script: a name or rules (R-103)",
    "echo",
    `one of ${Object.keys(BOTS).join(" ")}, or [{match?, parts: [{text, afterMs?}]}]`,
    isScript,
  ),
};

const callback = {
  callbackUrl: url("Address for reply callbacks; empty: none are sent"),
  callbackTimeoutMs: count("Time limit for the answer to a callback, in ms (R-304)", 10_000),
  callbackRetries: count("Repeats of a failed callback (R-305)", 0),
  callbackBackoffMs: count("Wait before repeat n of a callback, in ms: this times 2^n (R-305)", 1_000),
  retryOn: oneOf("Failures after which a callback is repeated (R-305)", "5xx", "any"),
  successStatuses: oneOf("Callback answers after which a reply counts as Sent (R-303)", "2xx", "200"),
  duplicateCallbacks: count("Simultaneous extra copies of each callback; a fraction is a probability (R-609)", 0),
  shuffleCallbacks: flag("Let callbacks of a contact overtake each other (R-608)", false),
  callbackOmit: texts("Fields omitted from callbacks (R-603)"),
  callbackExtras: record<unknown>("Fields added to callbacks (R-603)", "an object", anything),
  callbackWrap: oneOf("Object that encloses the fields of a callback (R-604)", "none", "customData", "data"),
  callbackContentType: text("Content type of callbacks; a form type sends a form (R-602)", "application/json"),
  callbackChannel: oneOf("Channel in callbacks (R-228)", "last", "omit", "fixed"),
  callbackHeaders: record<string>("Headers added to callbacks (R-505)", "{name: value}", isText),
  sendTriggersCallback: oneOf(
    "Whether a sent message also causes a callback (R-451)",
    false,
    "sameId",
    "otherId",
    "before",
  ),
  humanAttachment: oneOf("How a person's file is reported (R-605)", "omit", "emptyBody", "urlInBody", "mediaUrlField"),
  hugeBody: flag("Enlarge replies to more than 1 MB (R-613)", false),
  verifyOnSave: flag("Send a GET to a new callbackUrl before it is used (R-614)", false),
};

const recharge = {
  rechargeUrl: url("Address for auto-recharge events; empty: none are sent (R-620)"),
  rechargeDestination: oneOf(
    "Address that auto-recharge events go to: rechargeUrl or callbackUrl (R-620)",
    "own",
    "replyUrl",
  ),
  rechargeFields: oneOf("Fields of auto-recharge events besides the key; all are invented (R-621)", "minimal", "full"),
  rechargeKeyName: oneOf(
    "Name and place of an auto-recharge event's key (R-622)",
    "idempotency_key",
    "idempotencyKey",
    "Idempotency-Key",
  ),
  rechargeRepeat: count("Repeats of each auto-recharge event (R-624)", 0),
  rechargeParallel: flag("Send the repeats of an auto-recharge event at the same time (R-624)", false),
  agencyPool: limit("Credits the agency can still grant; null: no limit (R-246)", null),
  unknownSubaccount: oneOf("Answer to a grant to an unknown email (R-481)", 404, 400, "200false"),
  integerCredits: flag("Accept only whole credits (R-245)", false),
};

const general = {
  profile: oneOf("A named set of values", "strict", "lenient", "observed", "chaos"),
  seed: limit("Makes ids, delays and random faults repeatable; null draws a new seed", null),
  journalSize: count("Requests and callbacks kept for reading", 5_000),
};

export const OPTIONS = {
  ...general,
  ...transport,
  ...time,
  ...faults,
  ...rate,
  ...shapes,
  ...semantics,
  ...media,
  ...auth,
  ...bot,
  ...callback,
  ...recharge,
};

type Table = typeof OPTIONS;
export type SandboxConfig = { -readonly [Name in keyof Table]: Table[Name]["initial"] };
export type Profile = SandboxConfig["profile"];
