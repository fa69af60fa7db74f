/** Reads the author of a reply from its text, by the convention of `relay/docs/guides/replies.md`. */

import type { ReplyAuthor } from "./protocol.ts";

/**
 * The first line: a name in brackets, alone or followed by the address of a picture in parentheses. A text follows. The address
 * has no query: the browser requests it with the visitor's cookies, and a message must not choose what the page's server does.
 */
const NAME_LINE =
  /^\[([^[\]\r\n]{2,40})\](?:\((https?:\/\/[^\s()?#]+\.(?:jpe?g|png|gif|webp|avif))\))?[ \t]*\r?\n\s*(?=\S)/i;

/** The author whom the first line of a reply names. Undefined for most replies. */
export function authorIn(reply: string): ReplyAuthor | undefined {
  const [line, name, picture] = NAME_LINE.exec(reply) ?? [];
  return line && name?.trim() ? { name: name.trim(), ...(picture && { picture }), end: line.length } : undefined;
}
