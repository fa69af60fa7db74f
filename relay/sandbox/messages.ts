/** Conversations with their messages, and the accepted messageSids. Everything is kept until `clear`. */

import type { SandboxConfig } from "./options.ts";

export type Media = {
  /** The link as given; empty for an embedded file. */
  url: string;
  type: string;
  /** The stored copy; absent while a link is not fetched. */
  bytes?: Buffer;
  /** Why a link could not be fetched. */
  error?: string;
};

type Base = {
  messageId: string;
  contactId: string;
  fromId: string;
  body: string;
  channel?: string;
  campaignId?: string;
  /** Milliseconds since the epoch. */
  at: number;
};

export type IncomingMessage = Base & {
  direction: "in";
  messageSid: string;
  /** The client's business label. */
  toId: string;
  status: string;
  messageType: "text" | "reaction";
  media?: Media;
  /** messageId of the outgoing message that a reaction is stored on; absent when there is none. */
  reactsTo?: string;
};

export type OutgoingMessage = Base & {
  direction: "out";
  origin: "bot" | "human" | "followUp" | "api";
  /** null until the outcome of the callback is known; without a callback it stays null. */
  status: "Sent" | "Failed" | null;
  /** Error details of a failed callback. */
  error?: string;
  mediaUrl?: string;
  /** Number of attempts. */
  attempts: number;
};

export type Message = IncomingMessage | OutgoingMessage;

export type Conversation = {
  fromId: string;
  contactId: string;
  /** Last label seen. */
  channel?: string;
  /** Overrides the account's `botActive` for this contact. */
  botActive?: boolean;
  messages: Message[];
  /** How many messages came from the visitor. */
  asked: number;
  /** How many of them were not viewed in the inbox. */
  unread: number;
};

export type Messages = {
  conversation(fromId: string): Conversation | undefined;
  /** Newest activity first. */
  conversations(): Conversation[];
  open(fromId: string, contactId: string): Conversation;
  add(conversation: Conversation, message: Message): void;
  get(messageId: string): Message | undefined;
  /** Incoming messages in the order they were processed; the list itself, not a copy. */
  incoming(): readonly IncomingMessage[];
  outgoing(): readonly OutgoingMessage[];
  clear(): void;
};

/** @returns an empty store. It has no limit: tests count every message. */
export function createMessages(): Messages {
  /** In order of activity: touching a conversation moves it to the end. */
  const byFromId = new Map<string, Conversation>();
  const byId = new Map<string, Message>();
  let incoming: IncomingMessage[] = [];
  let outgoing: OutgoingMessage[] = [];

  return {
    conversation: (fromId) => byFromId.get(fromId),
    conversations: () => [...byFromId.values()].reverse(),
    open(fromId, contactId) {
      const known = byFromId.get(fromId);
      if (known !== undefined) return known;
      const conversation: Conversation = { fromId, contactId, messages: [], asked: 0, unread: 0 };
      byFromId.set(fromId, conversation);
      return conversation;
    },
    add(conversation, message) {
      byFromId.delete(conversation.fromId);
      byFromId.set(conversation.fromId, conversation);
      if (message.channel !== undefined) conversation.channel = message.channel;
      conversation.messages.push(message);
      byId.set(message.messageId, message);
      if (message.direction === "out") outgoing.push(message);
      else {
        conversation.asked += 1;
        conversation.unread += 1;
        incoming.push(message);
      }
    },
    get: (messageId) => byId.get(messageId),
    incoming: () => incoming,
    outgoing: () => outgoing,
    clear() {
      byFromId.clear();
      byId.clear();
      incoming = [];
      outgoing = [];
    },
  };
}

export type Seen = { messageId: string; at: number; body: string };

/** The accepted messageSids, so that none is processed twice. */
export type Sids = {
  find(sid: string, fromId: string): Seen | undefined;
  take(sid: string, fromId: string, seen: Seen): void;
  clear(): void;
};

/** @param config `dedupeScope` and `dedupeTtlMs` say which ids count as seen */
export function createSids(config: SandboxConfig, now: () => number): Sids {
  const taken = new Map<string, Seen>();
  const key = (sid: string, fromId: string) => (config.dedupeScope === "account" ? sid : `${fromId}\u0000${sid}`);
  return {
    find(sid, fromId) {
      const seen = taken.get(key(sid, fromId));
      const expired = seen !== undefined && config.dedupeTtlMs !== null && now() - seen.at > config.dedupeTtlMs;
      return expired ? undefined : seen;
    },
    take: (sid, fromId, seen) => void taken.set(key(sid, fromId), seen),
    clear: () => taken.clear(),
  };
}
