/** Digits of a whole number that JavaScript may round: from 2^53, which has 16 digits. */
const DIGITS = /\d{16}/;
/** Such a number outside a text: in JSON it follows `[`, `:`, `,` or nothing. Some texts match too, which only costs time. */
const LONG_NUMBER = /(?:^|[[:,])\s*-?\d{16}/;
const mayRound = (text: string): boolean => DIGITS.test(text) && LONG_NUMBER.test(text);

type Source = { source?: string };

/** A number that was rounded, as its digits; any other value unchanged. */
const exact = (value: unknown, { source = "" }: Source): unknown =>
  typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;

/**
 * Parses JSON of the service. Its ids arrive as texts or numbers, and a 64-bit number above 2^53 would be rounded: two
 * replies would get the same id, and the second one would be dropped as a repeat. Such a whole number becomes the text of its
 * digits.
 * @param change replaces each text
 * @throws SyntaxError
 */
export function parseExact(text: string, change?: (text: string) => string): unknown {
  if (change === undefined && !mayRound(text)) return JSON.parse(text);
  const revive = (_: string, value: unknown, context: Source): unknown => {
    const kept = exact(value, context);
    return typeof kept === "string" && change !== undefined ? change(kept) : kept;
  };
  return JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]);
}
