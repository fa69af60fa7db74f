/** The service's own voice: replies of the bot and of people, stored first, then posted to the client. */

import type { Part } from "./bot.ts";
import { botTurn } from "./bots.ts";
import type { Callbacks } from "./callbacks.ts";
import type { Campaigns } from "./campaigns.ts";
import type { Clock } from "./clock.ts";
import type { Contacts } from "./contacts.ts";
import type { Conversation, IncomingMessage, Messages, OutgoingMessage } from "./messages.ts";
import type { SandboxConfig } from "./options.ts";
import { draw, type Random } from "./random.ts";

export type Draft = Pick<OutgoingMessage, "body" | "origin"> &
  Partial<Pick<OutgoingMessage, "campaignId" | "mediaUrl">>;

export type Replies = {
  /** Stores an outgoing message without posting it. */
  write(conversation: Conversation, draft: Draft): OutgoingMessage;
  /** Stores and posts one. `posted` resolves with its state known, or at once without a registered URL. */
  send(conversation: Conversation, draft: Draft): { message: OutgoingMessage; posted: Promise<void> };
  /** Lets the bot answer, if it is active for this contact. */
  turn(conversation: Conversation, asked: IncomingMessage): void;
  clear(): void;
};

/** Turns of one conversation follow each other, unless a part waits longer than this: then the others go ahead. */
const HOLD_MS = 10_000;

type Line = { part: Part; draft: Omit<Draft, "body"> };

export function makeReplies(parts: {
  config: SandboxConfig;
  clock: Clock;
  random: Random;
  newId: () => string;
  contacts: Contacts;
  messages: Messages;
  callbacks: Callbacks;
  campaigns: Campaigns;
}): Replies {
  const { config, clock, random, newId, contacts, messages, callbacks, campaigns } = parts;
  /** Turns that wait to be spoken, per sender. */
  const turns = new Map<string, Line[][]>();

  function write(conversation: Conversation, draft: Draft): OutgoingMessage {
    const { fromId, contactId, channel } = conversation;
    const base = { messageId: newId(), contactId, fromId, at: clock.now(), status: null, attempts: 0 };
    const message: OutgoingMessage = { direction: "out", ...base, ...draft };
    if (channel !== undefined) message.channel = channel;
    messages.add(conversation, message);
    return message;
  }

  function send(conversation: Conversation, draft: Draft) {
    const message = write(conversation, draft);
    return { message, posted: callbacks.deliver(message) };
  }

  /** Speaks the turns that wait, one part after the other. */
  function speak(conversation: Conversation, queue: Line[][]): void {
    for (let lines = queue[0]; lines !== undefined; lines = queue[0]) {
      const line = lines.shift();
      if (line === undefined) {
        queue.shift();
        continue;
      }
      const ms = draw(line.part.afterMs ?? 0, random);
      const say = () => void send(conversation, { ...line.draft, body: line.part.text });
      if (ms === 0) say();
      else if (ms > HOLD_MS) setAside(conversation, queue, say, ms);
      else {
        clock.after(ms, () => {
          say();
          speak(conversation, queue);
        });
        return;
      }
    }
    turns.delete(conversation.fromId);
  }

  /** Takes the first turn out of the queue until its next part is due. */
  function setAside(conversation: Conversation, queue: Line[][], say: () => void, ms: number): void {
    const rest = queue.shift() ?? [];
    clock.after(ms, () => {
      say();
      enqueue(conversation, rest);
    });
  }

  function enqueue(conversation: Conversation, lines: Line[]): void {
    const queue = turns.get(conversation.fromId);
    if (queue !== undefined) {
      queue.push(lines);
      return;
    }
    const fresh = [lines];
    turns.set(conversation.fromId, fresh);
    speak(conversation, fresh);
  }

  function turn(conversation: Conversation, asked: IncomingMessage): void {
    if (!(conversation.botActive ?? config.botActive)) return;
    const { firstName } = contacts.get(conversation.contactId) ?? {};
    const spoken = botTurn(campaigns.script(asked.campaignId) ?? config.botScript, {
      body: asked.body,
      media: asked.media !== undefined,
      turns: conversation.asked - 1,
      random,
      ...(firstName === undefined ? {} : { firstName }),
    });
    const draft: Line["draft"] = { origin: "bot" };
    if (asked.campaignId !== undefined) draft.campaignId = asked.campaignId;
    const lines = spoken.map((part, index) => ({ draft, part: index === 0 ? thoughtOver(part) : part }));
    if (lines.length > 0) enqueue(conversation, lines);
  }

  /** The first part also waits as long as the option says. */
  function thoughtOver(part: Part): Part {
    if (config.botDelayMs === 0) return part;
    return { ...part, afterMs: draw(part.afterMs ?? 0, random) + draw(config.botDelayMs, random) };
  }

  return { write, send, turn, clear: () => turns.clear() };
}
