import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import { isTag, tagOf } from "../base/sign.ts";
import type { NodeLink } from "./cluster.ts";

const PURPOSE = "hint";
/** Length of a tag: 32 bytes as base64url. */
const TAG_LENGTH = 43;
/** Texts older than this (ms) are ignored. It is longer than the clocks of two nodes may differ. */
const AGE_MAX_MS = 600_000;
/** Senders kept in memory. Above this number, a sender is removed once its newest text is too old to be accepted again. */
const SENDERS_MAX = 1_000;

/** The text's sender, its number among the texts of that sender, and when it was sent (ms since 1970). */
type Stamp = { sender: string; n: number; at: number };
const STAMP = /^(\w{1,32})\.(\d{1,15})\.(\d{1,15}) /;

/**
 * Creates a check of whether a text is new: neither received before nor too old. A lower number than the last one of the same
 * sender is a repeat, because each sender has one connection, which keeps the order.
 */
function createReplayCheck(clock: Pick<Clock, "now">): (stamp: Stamp) => boolean {
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
 * repeated ones. Otherwise, every program that may write to the same Redis, or send a NOTIFY in the same database, could show
 * replies to visitors, end their chats, or use up their budgets (RELIABILITY A33). Texts of relay versions that do not sign are ignored too: a
 * lost hint only causes a delay. The link's own texts, which come back to it, are dropped before their MAC is checked.
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
      const isNew = createReplayCheck(clock);
      link.onText((signed) => {
        const stamped = signed.slice(TAG_LENGTH);
        const [stamp, sender = own, n, at] = STAMP.exec(stamped) ?? [];
        if (stamp === undefined || sender === own || !isTag(signed.slice(0, TAG_LENGTH), key, PURPOSE, stamped)) return;
        if (isNew({ sender, n: Number(n), at: Number(at) })) listener(stamped.slice(stamp.length));
      });
    },
  };
}
