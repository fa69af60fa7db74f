import { isTag, tagOf } from "../base/sign.ts";
import type { NodeLink } from "./cluster.ts";

const PURPOSE = "hint";
/** Length of a tag: 32 bytes as base64url. */
const TAG_LENGTH = 43;

/**
 * A link that adds a MAC with the key of all nodes to each text, and ignores texts without a valid MAC. Otherwise, whoever may
 * write to the same Redis, or send a NOTIFY in the same database, could show replies to visitors, end their chats, or use up
 * their budgets (RELIABILITY A33). Texts of a version that does not sign are ignored too: a lost hint only causes a delay.
 * @param isOwn recognises the texts of this node, which come back to it: they are dropped before their MAC is checked
 */
export function signedLink(link: NodeLink, key: string, isOwn: (text: string) => boolean): NodeLink {
  return {
    ...link,
    send: (text) => link.send(`${tagOf(key, PURPOSE, text)}${text}`),
    onText: (listener) =>
      link.onText((signed) => {
        const text = signed.slice(TAG_LENGTH);
        if (!isOwn(text) && isTag(signed.slice(0, TAG_LENGTH), key, PURPOSE, text)) listener(text);
      }),
  };
}
