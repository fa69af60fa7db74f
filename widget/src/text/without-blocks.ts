/** A reply without the marks of its blocks, for who reads it aloud or in few lines. Fetched when it is needed. */

/** The marks at the beginning of a line or cell. More than one, because blocks stand within blocks. */
const MARKS = /^(?:[ \t]*(?:[-*+•][ \t]|>|\( \) |#{1,6}[ \t]|\d{1,9}[.)][ \t]|\[[ xX]\][ \t]|```.*|~~~.*))+/;

/** Lines and cells without their marks; rules have nothing else. A comma after each is heard as a pause. */
export const withoutBlocks = (reply: string): string =>
  reply
    .split(/[\r\n|]+/)
    .map((line) => line.replace(MARKS, "").trim())
    .filter((line) => /[^-*_=: ]/.test(line))
    .join("\n")
    .replace(/([\p{L}\p{N})*_`])\n/gu, "$1, ");
