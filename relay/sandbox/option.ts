/** Small builders for the table of options: initial value, check of new values, and help text. */

import { isFields } from "@porchlight/shared/json-fields";

export type Option<T> = {
  initial: T;
  allows: (value: unknown) => boolean;
  /** Description of the allowed values, shown when a value is refused. */
  allowed: string;
  help: string;
};

/** A time in milliseconds: fixed, or drawn from a range; one draw in a hundred returns `p99` instead. */
export type Span = number | { min: number; max: number; p99?: number };

const isCount = (value: unknown): value is number => typeof value === "number" && value >= 0 && !Number.isNaN(value);
const isString = (value: unknown): value is string => typeof value === "string";

/** Whether a value from outside is a time, or a range whose `min` is at most its `max`. */
export const isSpan = (value: unknown): value is Span =>
  isCount(value) ||
  (isFields(value) &&
    isCount(value.min) &&
    isCount(value.max) &&
    value.min <= value.max &&
    (value.p99 === undefined || isCount(value.p99)));

/** One of the listed values; the first is the initial one. */
export function oneOf<const T extends readonly [string | number | boolean, ...(string | number | boolean)[]]>(
  help: string,
  ...values: T
): Option<T[number]> {
  const all: readonly unknown[] = values;
  return {
    initial: values[0],
    allows: (v) => all.includes(v),
    allowed: values.map((v) => JSON.stringify(v)).join(", "),
    help,
  };
}

/** On or off. */
export const flag = (help: string, initial: boolean): Option<boolean> => ({
  initial,
  allows: (v) => typeof v === "boolean",
  allowed: "true, false",
  help,
});

/** A number, 0 or more; fractions are allowed. */
export const count = (help: string, initial: number): Option<number> => ({
  initial,
  allows: isCount,
  allowed: "a number, 0 or more",
  help,
});

/** A number, or null for "none". */
export const limit = (help: string, initial: number | null): Option<number | null> => ({
  initial,
  allows: (v) => v === null || isCount(v),
  allowed: "a number, 0 or more, or null",
  help,
});

/** A time, fixed or drawn from a range. */
export const span = (help: string, initial: Span): Option<Span> => ({
  initial,
  allows: isSpan,
  allowed: "milliseconds, or {min, max, p99?}",
  help,
});

/** Any string, also an empty one. */
export const text = (help: string, initial: string): Option<string> => ({
  initial,
  allows: isString,
  allowed: "a string",
  help,
});

/** A list of strings, at first empty. */
export const texts = (help: string): Option<readonly string[]> => ({
  initial: [],
  allows: (v) => Array.isArray(v) && v.every(isString),
  allowed: "a list of strings",
  help,
});

/** A record whose values pass `allows`. */
export const record = <T>(
  help: string,
  allowed: string,
  allows: (value: unknown) => boolean,
): Option<Readonly<Record<string, T>>> => ({
  initial: {},
  allows: (v) => isFields(v) && Object.values(v).every(allows),
  allowed,
  help,
});

/** Any other option, with its own check. */
export const option = <T>(
  help: string,
  initial: T,
  allowed: string,
  allows: (value: unknown) => boolean,
): Option<T> => ({
  initial,
  allows,
  allowed,
  help,
});
