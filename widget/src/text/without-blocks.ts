/** Removes the Markdown marks of blocks from a reply, for screen readers and previews. Fetched when needed. */

/** The marks at the beginning of a line or cell. Nested blocks have more than one. */
const MARKS = /^(?:[ \t]*(?:[-*+•][ \t]|>|\( \) |#{1,6}[ \t]|\d{1,9}[.)][ \t]|\[[ xX]\][ \t]|```.*|~~~.*))+/;

/** The text of lines and cells without their marks. A comma after each makes screen readers pause. */
export const withoutBlocks = (reply: string): string =>
  reply
    .split(/[\r\n|]+/)
    .map((line) => line.replace(MARKS, "").trim())
    .filter((line) => /[^-*_=: ]/.test(line))
    .join("\n")
    .replace(/([\p{L}\p{N})*_`])\n/gu, "$1, ");
