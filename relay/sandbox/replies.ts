/** Replies of the bot and of people: stored first, then posted to the client. */

import type { BotMessage } from "./bot.ts";
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
  /** Stores and posts a message. `posted` resolves when its state is known, or at once without a registered URL. */
  send(conversation: Conversation, draft: Draft): { message: OutgoingMessage; posted: Promise<void> };
  /** Makes the bot answer, if it is active for this contact. */
  turn(conversation: Conversation, asked: IncomingMessage): void;
  clear(): void;
};

/** A part with a longer pause than this (ms) does not delay later turns. */
const HOLD_MS = 10_000;

/** One message of a turn. */
type ScheduledPart = { part: BotMessage; draft: Omit<Draft, "body"> };
/** The messages with which the bot answers one message. */
type BotTurn = ScheduledPart[];

type ReplyDeps = {
  config: SandboxConfig;
  clock: Clock;
  random: Random;
  newId: () => string;
  contacts: Contacts;
  messages: Messages;
  callbacks: Callbacks;
  campaigns: Campaigns;
};
/** `turns` holds the waiting turns of each sender. */
type ReplyState = ReplyDeps & { turns: Map<string, BotTurn[]> };

/** @returns replies whose turns are sent in the order of the questions, per sender */
export function createReplies(deps: ReplyDeps): Replies {
  const state: ReplyState = { ...deps, turns: new Map() };
  return {
    write: (conversation, draft) => write(state, conversation, draft),
    send: (conversation, draft) => send(state, conversation, draft),
    turn: (conversation, asked) => answer(state, conversation, asked),
    clear: () => state.turns.clear(),
  };
}

function write({ newId, clock, messages }: ReplyState, conversation: Conversation, draft: Draft): OutgoingMessage {
  const { fromId, contactId, channel } = conversation;
  const base = { messageId: newId(), contactId, fromId, at: clock.now(), status: null, attempts: 0 };
  const message: OutgoingMessage = { direction: "out", ...base, ...draft };
  if (channel !== undefined) message.channel = channel;
  messages.add(conversation, message);
  return message;
}

function send(state: ReplyState, conversation: Conversation, draft: Draft): ReturnType<Replies["send"]> {
  const message = write(state, conversation, draft);
  return { message, posted: state.callbacks.deliver(message) };
}

function answer(state: ReplyState, conversation: Conversation, asked: IncomingMessage): void {
  const { config, contacts, campaigns, random } = state;
  if (!(conversation.botActive ?? config.botActive)) return;
  const { firstName } = contacts.get(conversation.contactId) ?? {};
  const parts = botTurn(campaigns.script(asked.campaignId) ?? config.botScript, {
    body: asked.body,
    media: asked.media !== undefined,
    turns: conversation.asked - 1,
    random,
    ...(firstName === undefined ? {} : { firstName }),
  });
  const draft: ScheduledPart["draft"] = { origin: "bot" };
  if (asked.campaignId !== undefined) draft.campaignId = asked.campaignId;
  const turn = parts.map((part, index) => ({ draft, part: index === 0 ? withBotDelay(state, part) : part }));
  if (turn.length > 0) enqueue(state, conversation, turn);
}

/** Adds the option `botDelayMs` to the delay of the first part. */
function withBotDelay({ config, random }: ReplyState, part: BotMessage): BotMessage {
  if (config.botDelayMs === 0) return part;
  return { ...part, afterMs: draw(part.afterMs ?? 0, random) + draw(config.botDelayMs, random) };
}

function enqueue(state: ReplyState, conversation: Conversation, turn: BotTurn): void {
  const queue = state.turns.get(conversation.fromId);
  if (queue !== undefined) {
    queue.push(turn);
    return;
  }
  const fresh = [turn];
  state.turns.set(conversation.fromId, fresh);
  sendTurns(state, conversation, fresh);
}

/** Sends the waiting turns, one part after the other. */
function sendTurns(state: ReplyState, conversation: Conversation, queue: BotTurn[]): void {
  const { clock, random, turns } = state;
  for (let turn = queue[0]; turn !== undefined; turn = queue[0]) {
    const scheduled = turn.shift();
    if (scheduled === undefined) {
      queue.shift();
      continue;
    }
    const ms = draw(scheduled.part.afterMs ?? 0, random);
    const sendPart = () => void send(state, conversation, { ...scheduled.draft, body: scheduled.part.text });
    if (ms === 0) sendPart();
    else if (ms > HOLD_MS) postpone(state, conversation, queue, sendPart, ms);
    else {
      clock.after(ms, () => {
        sendPart();
        sendTurns(state, conversation, queue);
      });
      return;
    }
  }
  turns.delete(conversation.fromId);
}

/** Removes the first turn from the queue until its next part is due. */
function postpone(
  state: ReplyState,
  conversation: Conversation,
  queue: BotTurn[],
  sendPart: () => void,
  ms: number,
): void {
  const rest = queue.shift() ?? [];
  state.clock.after(ms, () => {
    sendPart();
    enqueue(state, conversation, rest);
  });
}
