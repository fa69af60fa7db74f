/** Parses rate-limit headers of all known styles: the stated waiting time and the stated limit (R-802, RELIABILITY 3g). */

type Headers = Record<string, string | string[] | undefined>;

/** A stated limit: calls per window, calls left, and the window's length in ms. */
export type StatedLimit = { limit?: number; remaining?: number; windowMs?: number };

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** The three date forms of RFC 9110 section 5.6.7. `Date.parse` accepts far more, and reads "120" as a year. */
const IMF = /^(?:mon|tue|wed|thu|fri|sat|sun), (\d{2}) ([a-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) gmt$/i;
const RFC850 = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day, (\d{2})-([a-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) gmt$/i;
const ASCTIME = /^(?:mon|tue|wed|thu|fri|sat|sun) ([a-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/i;

/** A two-digit year more than 50 years ahead belongs to the last century (RFC 9110). */
function fullYear(year: string, now: number): number {
  if (year.length === 4) return Number(year);
  const century = Math.floor(new Date(now).getUTCFullYear() / 100) * 100;
  const full = century + Number(year);
  return full > new Date(now).getUTCFullYear() + 50 ? full - 100 : full;
}

/**
 * Parses an HTTP date. @returns ms since 1970, or undefined when the text is not a date
 * @param now ms since 1970; decides the century of two-digit years
 */
export function httpDate(text: string, now: number): number | undefined {
  const [, day, month, year, h, m, s] = IMF.exec(text) ?? RFC850.exec(text) ?? reorder(ASCTIME.exec(text)) ?? [];
  const index = MONTHS.indexOf(month?.toLowerCase() ?? "");
  if (day === undefined || year === undefined || index < 0) return undefined;
  const [date, hours, minutes, seconds] = [day, h, m, s].map(Number) as [number, number, number, number];
  if (date < 1 || date > 31 || hours > 23 || minutes > 59 || seconds > 60) return undefined;
  const full = fullYear(year, now);
  // `Date.UTC` would turn 31 February into a day in March.
  if (date > new Date(Date.UTC(full, index + 1, 0)).getUTCDate()) return undefined;
  return Date.UTC(full, index, date, hours, minutes, seconds);
}

/** The parts of an asctime date, in the order of the other two forms. */
function reorder(match: RegExpExecArray | null): (string | undefined)[] | undefined {
  if (match === null) return undefined;
  const [all, month, day, h, m, s, year] = match;
  return [all, day?.trim().padStart(2, "0"), month, year, h, m, s];
}

/** The value of a header, without spaces around it. Several headers of the name are joined, as RFC 9110 says. */
const header = (headers: Headers, name: string): string | undefined => {
  const value = headers[name];
  return (Array.isArray(value) ? value.join(", ") : value)?.trim();
};

/** The part of a name that every header of a limit has: `ratelimit`, `x-ratelimit-limit`, `x-rate-limit-reset`. */
const LIMIT_NAME = /rate-?limit/;

/** Whether any header may state a limit. Most answers have none, and parsing them all costs more than this check. */
function mayStateLimit(headers: Headers): boolean {
  for (const name in headers) if (LIMIT_NAME.test(name)) return true;
  return false;
}

/** Parses digits only. `Number("")` is 0, `Number("1e9")` a billion, `parseInt("6m0s")` 6. */
const digits = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/**
 * Parses seconds from now, or a point in time in seconds or milliseconds since 1970; its size shows which. @returns ms to wait
 */
function resetMs(text: string | undefined, now: number): number | undefined {
  const value = digits(text);
  if (value === undefined) return undefined;
  if (value >= 1e12) return Math.max(0, value - now);
  return value >= 1e9 ? Math.max(0, value * 1_000 - now) : value * 1_000;
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses a duration like `6m0s`, `1h2m3s`, `120ms` or `1.5s`. @returns milliseconds */
function duration(text: string | undefined): number | undefined {
  if (text === undefined || !/^(?:\d{1,9}(?:\.\d{1,6})?(?:ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)(ms|s|m|h)/g))
    total += Number(amount) * (UNITS[unit ?? ""] ?? 0);
  return total;
}

const decimalSeconds = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) * 1_000 : undefined;

type Policy = { name: string; values: Record<string, number> };

/** One member of a RateLimit field: `"name";r=0;t=30` with whole numbers only. Anything else is malformed. */
function policy(member: string): Policy | undefined {
  const [name = "", ...params] = split(member, ";");
  if (!/^(?:"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"|[A-Za-z*][\w.:/*-]*)$/.test(name)) return undefined;
  const values: Record<string, number> = {};
  for (const param of params) {
    const at = param.indexOf("=");
    const [key, value] = [param.slice(0, at), param.slice(at + 1)];
    if (at < 0 || !/^[a-z*][a-z0-9_.*-]*$/.test(key)) return undefined;
    const number = digits(value);
    if (number !== undefined) values[key] = number;
    // The parameters r, t, q and w are whole numbers. Others may be strings or byte sequences, like the drafts' `qu` and `pk`.
    else if (/^[rtqw]$/.test(key) || !/^(?:"[^"]*"|:[A-Za-z0-9+/=]*:)$/.test(value)) return undefined;
  }
  return { name: name.replaceAll('"', ""), values };
}

/** Splits at `separator`, except inside quotes, in one pass over the text. */
function split(text: string, separator: string): string[] {
  const parts = [""];
  let quoted = false;
  for (const [i, character] of [...text].entries()) {
    if (character === '"' && !(quoted && text[i - 1] === "\\")) quoted = !quoted;
    if (character === separator && !quoted) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${character}`);
  }
  return parts.map((part) => part.trim());
}

/** All members of a field. One malformed member invalidates the whole field (RFC 9651 section 4.2). */
function policies(text: string | undefined): Policy[] {
  if (text === undefined || text === "") return [];
  const all = split(text, ",").map(policy);
  return all.every((member) => member !== undefined) ? all : [];
}

/** Parses the older dictionary form: `limit=100, remaining=0, reset=30`. */
function dictionary(text: string | undefined): Record<string, number> | undefined {
  if (text === undefined) return undefined;
  const entries = text.split(",").map((part) => part.trim().split("="));
  if (!entries.every(([key, value]) => /^(limit|remaining|reset)$/.test(key ?? "") && digits(value) !== undefined))
    return undefined;
  return Object.fromEntries(entries.map(([key, value]) => [key, Number(value)]));
}

/** The policy that decides: an exhausted one before others, then the one that ends last. */
function binding(all: Policy[]): Policy | undefined {
  const rank = ({ values }: Policy): [number, number] => [values.r === 0 ? 0 : 1, -(values.t ?? 0)];
  return all.toSorted((a, b) => rank(a)[0] - rank(b)[0] || rank(a)[1] - rank(b)[1])[0];
}

/** Ms until the deciding policy ends; after a success only when it is exhausted. */
function rateLimitMs(text: string | undefined, refused: boolean): number | undefined {
  const old = dictionary(text);
  if (old !== undefined) return refused || old.remaining === 0 ? seconds(old.reset) : undefined;
  const policy = binding(policies(text));
  return refused || policy?.values.r === 0 ? seconds(policy?.values.t) : undefined;
}

/** Seconds in milliseconds. */
const seconds = (value: number | undefined): number | undefined => (value === undefined ? undefined : value * 1_000);

/** Longest wait that is obeyed, in ms. After it, one call goes. */
const LONGEST_MS = 3_600_000;

/**
 * Whole milliseconds that the service asks the relay to wait before the next call with this key: 0 for no wait, undefined when
 * it does not say. The first header that parses counts, in the order of R-802. The wait decides when a stored message is due, and
 * PostgreSQL refuses a fraction of a millisecond there.
 * @param now the service's own clock (its `Date` header), else the relay's; ms since 1970
 */
export function statedWait(status: number, headers: Headers, now: number): number | undefined {
  if (status >= 300 && status < 400) return undefined;
  if (status < 400 && !mayStateLimit(headers)) return undefined;
  const clock = httpDate(header(headers, "date") ?? "", now) ?? now;
  const wait = status < 400 ? waitAfterSuccess(headers, clock) : waitAfterRefusal(headers, clock);
  return wait === undefined ? undefined : Math.min(LONGEST_MS, Math.max(0, Math.ceil(wait)));
}

/** After a refusal: ms to wait, from the first header that states a time. */
function waitAfterRefusal(headers: Headers, now: number): number | undefined {
  const after = header(headers, "retry-after");
  const date = after === undefined ? undefined : httpDate(after, now);
  return (
    digits(header(headers, "retry-after-ms")) ??
    seconds(digits(after)) ??
    (date === undefined ? undefined : date - now) ??
    rateLimitMs(header(headers, "ratelimit"), true) ??
    resetMs(header(headers, "ratelimit-reset"), now) ??
    resetMs(header(headers, "x-ratelimit-reset"), now) ??
    resetMs(header(headers, "x-rate-limit-reset"), now) ??
    decimalSeconds(header(headers, "x-ratelimit-reset-after")) ??
    duration(header(headers, "x-ratelimit-reset-requests"))
  );
}

/** After a success: ms to wait when this was the last call of the window. */
function waitAfterSuccess(headers: Headers, now: number): number | undefined {
  const { remaining } = statedLimit(headers);
  if (remaining === undefined) return undefined;
  if (remaining > 0) return 0;
  return (
    rateLimitMs(header(headers, "ratelimit"), false) ??
    resetMs(header(headers, "ratelimit-reset"), now) ??
    resetMs(header(headers, "x-ratelimit-reset"), now) ??
    resetMs(header(headers, "x-rate-limit-reset"), now) ??
    decimalSeconds(header(headers, "x-ratelimit-reset-after")) ??
    0
  );
}

/** The limit that the headers state. Values that they do not state are absent. */
export function statedLimit(headers: Headers): StatedLimit {
  if (!mayStateLimit(headers)) return {};
  const current = binding(policies(header(headers, "ratelimit")));
  const named = policies(header(headers, "ratelimit-policy"));
  const stated = named.find(({ name }) => name === current?.name) ?? named[0];
  const old = dictionary(header(headers, "ratelimit"));
  const limit =
    stated?.values.q ??
    old?.limit ??
    digits(header(headers, "ratelimit-limit")) ??
    digits(header(headers, "x-ratelimit-limit")) ??
    digits(header(headers, "x-rate-limit-limit"));
  const remaining =
    current?.values.r ??
    old?.remaining ??
    digits(header(headers, "ratelimit-remaining")) ??
    digits(header(headers, "x-ratelimit-remaining")) ??
    digits(header(headers, "x-rate-limit-remaining"));
  const windowMs = seconds(stated?.values.w);
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(remaining === undefined ? {} : { remaining }),
    ...(windowMs === undefined ? {} : { windowMs }),
  };
}
