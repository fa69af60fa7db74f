import { cut } from "@porchlight/shared/text";

/** The largest amount of credits that is accepted anywhere. */
const AMOUNT_MAX = 1_000_000_000;

/** Most characters of an invalid amount that are stored. */
const SHOWN_MAX = 60;

/** Converts credits to hundredths, so that sums and limits are exact. */
export const hundredths = (amount: number): number => Math.round(amount * 100);

/** Whether the value is an amount of credits: a number above 0 with at most two decimals. */
export const isAmount = (value: unknown): value is number =>
  typeof value === "number" && value > 0 && value <= AMOUNT_MAX && hundredths(value) / 100 === value;

/** An invalid amount as JSON, shortened. It is stored, so that a person can decide what was meant. */
export const shownAmount = (value: unknown): string => cut(JSON.stringify(value) ?? "", SHOWN_MAX);

/**
 * Parses an amount of credits that is a plain decimal, such as "20" or "12.50". `Number` would also accept "0x10", "1e9" and
 * blanks.
 * @returns undefined when the text is no such decimal, or not an amount (`isAmount`)
 */
export function amountOf(text: string): number | undefined {
  const value = /^\d{1,10}(?:\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
  return isAmount(value) ? value : undefined;
}
