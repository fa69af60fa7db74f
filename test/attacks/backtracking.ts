/** Detects quadratic regular expressions without a clock: V8 counts the backtracks of a call, and ends the call at a limit. */
import { setFlagsFromString } from "node:v8";

/** Allowed backtracks for each character of a text. A quadratic expression needs half the text's length. */
const BACKTRACKS = 64;
/** Shorter texts are not checked: they cost little. */
const LENGTH_MIN = 1_000;

type Limited = (source: string, flags: string, limit: number) => RegExp;
setFlagsFromString("--allow-natives-syntax");
/** Makes an expression whose calls return null after `limit` backtracks. */
const limited = new Function(
  "source",
  "flags",
  "limit",
  "return %NewRegExpWithBacktrackLimit(source, flags, limit)",
) as Limited;

/** A character, an escape or a class; then the beginning of a quantifier. */
const ATOM =
  /(\\u[\da-f]{4}|\\x[\da-f]{2}|\\k<\w+>|\\[pPu]\{[^}]*\}|\\[^pPukx]|\[(?:\\.|[^\]\\])*\]|[^\\()[\]{}|*+?^$])([*+?]|\{\d)?/giu;

/** V8 does not count backtracks over a repeated single character. With an empty look-ahead behind the character, it does. */
const counted = (source: string): string =>
  source.replace(ATOM, (whole, atom: string, quantifier?: string) =>
    quantifier === undefined ? whole : `(?:${atom}(?=))${quantifier}`,
  );

const known = new Map<string, RegExp>();

/** A copy that always matches something, except when it backtracks too often. */
function copyOf({ source, flags, sticky }: RegExp, limit: number): RegExp {
  const key = `${limit}/${source}/${flags}`;
  const otherwise = sticky ? "" : "(?![\\s\\S])";
  const made = known.get(key) ?? limited(`(?:${counted(source)})|${otherwise}`, flags, limit);
  known.set(key, made);
  return made;
}

const { exec } = RegExp.prototype;

/** Whether the next call of the expression with this text backtracks more than `BACKTRACKS` times for each character. */
export function backtracksTooOften(expression: RegExp, text: string): boolean {
  if (text.length < LENGTH_MIN) return false;
  // Limits are powers of two, because each limit needs a separate copy of the expression.
  const copy = copyOf(expression, BACKTRACKS << Math.ceil(Math.log2(text.length)));
  copy.lastIndex = expression.lastIndex;
  return exec.call(copy, text) === null;
}
