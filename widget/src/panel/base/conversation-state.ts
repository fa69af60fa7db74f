/**
 * Questions about the state of the conversation that several components ask. Each reads signals, so it subscribes its caller.
 */

import type { Chat } from "../../conversation/chat.ts";

type Conversation = { chat: Pick<Chat, "link" | "delivery" | "ending"> };

/** Whether the service cannot be reached: no network, no relay, or no service. */
export const isUnreachable = ({ chat }: Conversation): boolean =>
  ["offline", "waiting"].includes(chat.link.value) || chat.delivery.value === "delayed" || isRefused({ chat });

/** Whether this conversation has ended for good, by a deletion or a logout. Only a new one can follow. */
export const isOver = ({ chat }: Conversation): boolean =>
  chat.ending.value === "gone" || chat.ending.value === "normal";

/** Whether the relay accepts no messages from this page, now and later. */
export const isRefused = ({ chat }: Conversation): boolean => chat.ending.value === "notAllowed";
