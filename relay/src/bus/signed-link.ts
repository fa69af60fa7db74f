import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import { isTag, tagOf } from "../base/sign.ts";
import type { NodeLink } from "./cluster.ts";

const PURPOSE = "hint";
/** Length of a tag: 32 bytes as base64url. */
const TAG_LENGTH = 43;
/** Older texts are ignored (ms). It is longer than the difference between the clocks of nodes. */
const AGE_MAX_MS = 600_000;
/** Senders that are remembered. Above it, those are forgotten whose newest text is too old to be accepted again. */
const SENDERS_MAX = 1_000;

/** The text's sender, its number among the texts of that sender, and when it was sent (ms since 1970). */
type Stamp = { sender: string; n: number; at: number };
const STAMP = /^(\w{1,32})\.(\d{1,15})\.(\d{1,15}) /;

/**
 * Finds out whether a text with this stamp has not been received before. The texts of a sender arrive in their order, because
 * each sender has one connection.
 */
function createNewest(clock: Pick<Clock, "now">): (stamp: Stamp) => boolean {
  const newest = new Map<string, Pick<Stamp, "n" | "at">>();
  const isOld = ({ at }: Pick<Stamp, "at">): boolean => Math.abs(clock.now() - at) > AGE_MAX_MS;
  return ({ sender, n, at }) => {
    if (isOld({ at }) || n <= (newest.get(sender)?.n ?? 0)) return false;
    newest.set(sender, { n, at });
    if (newest.size > SENDERS_MAX) for (const [name, last] of newest) if (isOld(last)) newest.delete(name);
    return true;
  };
}

/**
 * A link that adds a number, the time, and a MAC with the key of all nodes to each text. It ignores texts without a valid MAC, and
 * repeated ones. Otherwise, whoever may write to the same Redis, or send a NOTIFY in the same database, could show replies to
 * visitors, end their chats, or use up their budgets (RELIABILITY A33). Texts of a version without all of this are ignored too: a
 * lost hint only causes a delay. The texts of this link, which come back to it, are dropped before their MAC is checked.
 */
export function signedLink(link: NodeLink, key: string, clock: Pick<Clock, "now">): NodeLink {
  const own = randomId(12);
  let count = 0;
  return {
    ...link,
    send(text) {
      const stamped = `${own}.${++count}.${clock.now()} ${text}`;
      link.send(`${tagOf(key, PURPOSE, stamped)}${stamped}`);
    },
    onText(listener) {
      const isNew = createNewest(clock);
      link.onText((signed) => {
        const stamped = signed.slice(TAG_LENGTH);
        const [stamp, sender = own, n, at] = STAMP.exec(stamped) ?? [];
        if (stamp === undefined || sender === own || !isTag(signed.slice(0, TAG_LENGTH), key, PURPOSE, stamped)) return;
        if (isNew({ sender, n: Number(n), at: Number(at) })) listener(stamped.slice(stamp.length));
      });
    },
  };
}
