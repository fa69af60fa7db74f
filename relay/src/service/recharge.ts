import { type Fields, isFields } from "@porchlight/shared/json-fields";
import { DEPTH_MAX } from "@porchlight/shared/limits";
import { amountOf, isAmount, shownAmount } from "../base/amount.ts";
import { tooDeep } from "../base/depth.ts";
import { parseExact } from "../base/exact-json.ts";

/**
 * An auto-recharge event (interface 6). Only its key is guaranteed; other fields are searched in several places
 * (R-621).
 */
export type Recharge = {
  key: string;
  /** Lower case. */
  email: string | undefined;
  subAccount: string | undefined;
  /** Credits. */
  amount: number | undefined;
  /** The text in an amount field that is not a valid amount. Absent when the event names no amount. */
  unreadable?: string | undefined;
};

/** Dotted paths of an event's fields. The first path with a value counts. */
export type RechargePaths = Record<"email" | "subAccount" | "amount", readonly string[]>;

const RECHARGE_PATHS: RechargePaths = {
  email: ["email", "sub_account_email", "subAccountEmail", "sub_account.email", "subAccount.email"],
  subAccount: ["sub_account_id", "subAccountId", "sub_account.id", "subAccount.id"],
  amount: ["amount", "credits", "recharge_amount", "rechargeAmount"],
};

const KEYS = ["idempotency_key", "idempotencyKey"];
/** Wrapper objects around the fields. */
const WRAPPERS = ["", "data.", "event.", "payload.", "customData.", "message."];
/** Longest key, id or email address that is read, in UTF-16 code units. */
const TEXT_MAX = 255;

/** The value at a dotted path. */
const at = (fields: Fields, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (value, name) => (isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      fields,
    );

/** The first non-empty text or number at one of the paths, with or without a wrapper. */
function find(fields: Fields, paths: readonly string[]): string | undefined {
  for (const wrapper of WRAPPERS) {
    for (const path of paths) {
      const value = at(fields, wrapper + path);
      const text = typeof value === "number" && Number.isFinite(value) ? String(value) : value;
      if (typeof text === "string" && text.trim() !== "" && text.length <= TEXT_MAX) return text.trim();
    }
  }
  return undefined;
}

/**
 * The amount, or the invalid text in its place. The first path with any value counts, because it may be the intended one
 * (R-621).
 */
function amountIn(fields: Fields, paths: readonly string[]): Pick<Recharge, "amount" | "unreadable"> {
  const value = WRAPPERS.flatMap((wrapper) => paths.map((path) => at(fields, wrapper + path))).find(
    (one) => one !== undefined && one !== null && !(typeof one === "string" && one.trim() === ""),
  );
  if (value === undefined || isAmount(value)) return { amount: value };
  const amount = typeof value === "string" ? amountOf(value.trim()) : undefined;
  return amount === undefined ? { amount, unreadable: shownAmount(value) } : { amount };
}

/** Parses a body: a JSON object, or a form. */
function fieldsOf(raw: string): Fields | undefined {
  const text = raw.trim();
  if (text === "") return {};
  if (!text.startsWith("{")) return text.startsWith("[") ? undefined : Object.fromEntries(new URLSearchParams(text));
  try {
    const value = parseExact(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the quotes that the draft of the `Idempotency-Key` header field allows. */
const unquoted = (text: string): string => text.trim().replace(/^"(.*)"$/, "$1");

/**
 * Parses an auto-recharge event.
 * @param header the `Idempotency-Key` header, used when the body has no key
 * @param paths paths to try before the usual ones
 * @returns undefined when the event names no valid key
 */
export function parseRecharge(
  raw: string,
  header: string | undefined,
  paths?: { [Name in keyof RechargePaths]?: readonly string[] | undefined },
): Recharge | undefined {
  if (tooDeep(raw, DEPTH_MAX)) return undefined;
  const fields = fieldsOf(raw);
  if (fields === undefined) return undefined;
  const key = find(fields, KEYS) ?? (header === undefined ? undefined : unquoted(header));
  if (key === undefined || key === "" || key.length > TEXT_MAX || !/^[\x21-\x7e]+$/.test(key)) return undefined;
  const places = (name: keyof RechargePaths) => [...(paths?.[name] ?? []), ...RECHARGE_PATHS[name]];
  return {
    key,
    email: find(fields, places("email"))?.toLowerCase(),
    subAccount: find(fields, places("subAccount")),
    ...amountIn(fields, places("amount")),
  };
}
