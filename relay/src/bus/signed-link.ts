import { isTag, tagOf } from "../base/sign.ts";
import type { Link } from "./cluster.ts";

const PURPOSE = "hint";
/** Length of a tag: 32 bytes as base64url. */
const TAG_LENGTH = 43;

/**
 * A link whose texts carry a MAC with the key that all nodes share. Whoever may write to the same Redis, or may send a NOTIFY in
 * the same database, could otherwise show replies to visitors, end their chats, or use up their budgets (RELIABILITY A33). A
 * text without a valid MAC is ignored, also one of a version that signs none: a lost hint only causes a delay.
 */
export function signedLink(link: Link, key: string): Link {
  return {
    ...link,
    send: (text) => link.send(`${tagOf(key, PURPOSE, text)}${text}`),
    onText: (listener) =>
      link.onText((signed) => {
        const text = signed.slice(TAG_LENGTH);
        if (isTag(signed.slice(0, TAG_LENGTH), key, PURPOSE, text)) listener(text);
      }),
  };
}
