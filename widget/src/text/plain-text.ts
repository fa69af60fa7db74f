/** A reply as plain text: for screen readers, notifications and previews. */

import { parseInline, textOf } from "./inline.ts";

/** What begins a block: see `markdown.ts`, which is fetched for a text in which this is found. */
const BLOCK = /^[ \t]*(?:[-*+•][ \t]|>|\( \) |#{1,6}[ \t]|\d{1,9}[.)][ \t]|\||:?-[-:]|```|~~~|\*\*\*|_[ \t]*_[ \t]*_)/m;
/** The marks at the beginning of a line or cell. More than one, because blocks stand within blocks. */
const MARKS = /^(?:[ \t]*(?:[-*+•][ \t]|>|\( \) |#{1,6}[ \t]|\d{1,9}[.)][ \t]|\[[ xX]\][ \t]|```.*|~~~.*))+/;

/** Whether a reply has more than paragraphs: a list, table, quote, heading, rule, block of code or answers to choose from. */
const hasBlocks = (text: string): boolean => BLOCK.test(text);

/** Whether a message may have a link whose text is not its address in ASCII: see `links.ts`. */
const mayHideLink = (text: string, isReply: boolean): boolean =>
  (isReply && text.includes("](")) || (/[^\0-~]/.test(text) && /\/\/|www\.|@|tel:/i.test(text));

/** Whether a message is drawn by the part that is fetched for blocks and links (`rich-text.tsx`). */
export const isRich = (text: string, isReply: boolean): boolean =>
  (isReply && hasBlocks(text)) || mayHideLink(text, isReply);

/** Lines and cells without the marks of their blocks; rules have nothing else. A comma after each is heard as a pause. */
const withoutBlocks = (text: string): string =>
  text
    .split(/[\r\n|]+/)
    .map((line) => line.replace(MARKS, "").trim())
    .filter((line) => /[^-*_=: ]/.test(line))
    .join("\n")
    .replace(/([\p{L}\p{N})*_`])\n/gu, "$1, ");

/** A reply as it is read aloud: without marks. */
export const plainText = (text: string): string => textOf(parseInline(hasBlocks(text) ? withoutBlocks(text) : text));
