/** Largest amount of credits that anything here counts with. */
const AMOUNT_MAX = 1_000_000_000;

/** Credits as hundredths, in which sums and caps are exact. */
export const hundredths = (amount: number): number => Math.round(amount * 100);

/**
 * Whether this is an amount of credits, whoever names it: a number above 0 with at most two decimals. Exact: it is
 * the very number that its hundredths stand for.
 */
export const isAmount = (value: unknown): value is number =>
  typeof value === "number" && value > 0 && value <= AMOUNT_MAX && hundredths(value) / 100 === value;

/** The amount that a text names as a plain decimal, like "20" or "12.50"; `Number` also takes "0x10", "1e9" and blanks. */
export function amountOf(text: string): number | undefined {
  const value = /^\d{1,10}(?:\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
  return isAmount(value) ? value : undefined;
}
