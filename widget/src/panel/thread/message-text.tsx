/** Draws the text of a message. */

import { mayHideLink, parseInline, parsePlain } from "../../text/inline.ts";
import { live } from "../base/component.ts";
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
export const MessageText = live<RichTextProps>(() => ({ text, isReply }) => {
  const Text = isReply || mayHideLink(text) ? RichText : PlainText;
  return <Text text={text.replace(OVERRIDE, "")} isReply={isReply} />;
});

/** A text in one paragraph. Also shows a rich text until the code for that is loaded. */
const PlainText = ({ text, isReply }: RichTextProps) => (
  <p>{(isReply ? parseInline(text.trim()) : parsePlain(text)).map(inline)}</p>
);

const RichText = lazyPart<RichTextProps>(
  async () => (await import("./rich-text.tsx")).RichText,
  (_, props) => <PlainText {...props} />,
);

/** Whether a message consists of one to three emoji. */
export function isEmojiOnly(text: string): boolean {
  return emojiOnly?.test(text.trim()) === true;
}

/** Engines without the `v` flag show emoji at the size of text. */
const emojiOnly = ((): RegExp | undefined => {
  try {
    return /^(?:\p{RGI_Emoji}\s*){1,3}$/v;
  } catch {
    return undefined;
  }
})();
