/** Removes the Markdown marks of blocks from a reply, for screen readers and previews. Fetched when it is needed. */

/** The marks at the beginning of a line or cell. More than one, because blocks stand within blocks. */
const MARKS = /^(?:[ \t]*(?:[-*+•][ \t]|>|\( \) |#{1,6}[ \t]|\d{1,9}[.)][ \t]|\[[ xX]\][ \t]|```.*|~~~.*))+/;

/** The text of lines and cells without their marks. A comma after each makes screen readers pause. */
export const withoutBlocks = (reply: string): string =>
  reply
    .split(/[\r\n|]+/)
    .map((line) => line.replace(MARKS, "").trim())
    .filter((line) => /[^-*_=: ]/.test(line))
    .join("\n")
    .replace(/([\p{L}\p{N})*_`])\n/gu, "$1, ");
