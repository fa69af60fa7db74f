/** Draws the text of a message. */

import { mayHideLink, parseInline, parsePlain } from "../../text/inline.ts";
import { component } from "../base/component.ts";
import { lazyPart } from "../base/lazy-part.tsx";
import { inline } from "./inline-text.tsx";
import type { RichTextProps } from "./rich-text.tsx";

/**
 * Direction overrides: they reverse the text that follows, links included. No language needs them, because letters have
 * a direction of their own.
 */
const OVERRIDE = /[\u202d\u202e]/g;

/**
 * Has no state, so that it is drawn once: page translation in browsers replaces the text nodes, and Preact fails when
 * it updates replaced nodes (preactjs/preact#948).
 */
export const MessageText = component<RichTextProps>(() => ({ text, isReply, markdown }) => {
  const Text = isReply || mayHideLink(text) ? RichText : PlainText;
  return <Text text={text.replace(OVERRIDE, "")} isReply={isReply} markdown={markdown} />;
});

/** A text in one paragraph. Also shows a rich text until the code for that is loaded. */
const PlainText = ({ text, markdown }: RichTextProps) => (
  <p>{(markdown ? parseInline(text.trim()) : parsePlain(text)).map(inline)}</p>
);

const RichText = lazyPart<RichTextProps>(
  async () => (await import("./rich-text.tsx")).RichText,
  (_, props) => <PlainText {...props} />,
);

/**
 * A message of one to three emoji: flags, keys, and pictures with their marks, tags and joined pictures (UTS #51, section 1.4).
 * The browser's own set `\p{RGI_Emoji}` would take a phone a quarter of a second to compile.
 */
export const EMOJI_ONLY =
  /^\s*(?:(?:\p{RI}{2}|[\d#*]\ufe0f|\p{ExtPict})(?:[\p{M}\p{EMod}\u{e0020}-\u{e007f}]|\u200d\p{ExtPict})*\s*){1,3}$/u;
