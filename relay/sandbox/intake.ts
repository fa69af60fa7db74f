/** Processes an incoming message after its 200: contact, conversation, stored message, the bot's answer. */

import type { Changes } from "./changes.ts";
import type { Clock } from "./clock.ts";
import type { Contacts } from "./contacts.ts";
import type { Person } from "./fields.ts";
import { fetchMedia } from "./media.ts";
import type { IncomingMessage, Media, Messages } from "./messages.ts";
import type { SandboxConfig } from "./options.ts";
import type { Poster } from "./poster.ts";
import { draw, type Random } from "./random.ts";
import type { Replies } from "./replies.ts";

/** An accepted message before its processing. Its contact may not exist yet. */
export type Queued = Omit<IncomingMessage, "contactId"> & {
  person: Person;
  /** Warnings of its request's journal entry. */
  warnings: string[];
};

export type Intake = {
  /** Processes the message after `processingDelayMs`, in the order of calls unless the option says otherwise. */
  add(message: Queued): void;
  clear(): void;
};

/** The delay when messages may overtake each other and no delay is set. */
const SHUFFLE_MS = { min: 0, max: 50 };

type IntakeDeps = {
  config: SandboxConfig;
  clock: Clock;
  random: Random;
  poster: Poster;
  changes: Changes;
  contacts: Contacts;
  messages: Messages;
  replies: Replies;
};

/** @param deps `config` is read for each message, so that changed delays apply at once */
export function createIntake(deps: IntakeDeps): Intake {
  const { config, clock, random } = deps;
  let queue: Queued[] = [];

  return {
    add(message) {
      const span = config.processInOrder || config.processingDelayMs !== 0 ? config.processingDelayMs : SHUFFLE_MS;
      const ms = draw(span, random);
      if (ms === 0 && queue.length === 0) return process(deps, message);
      if (!config.processInOrder) {
        clock.after(ms, () => process(deps, message));
        return;
      }
      // Each timer takes the oldest message, even if it was set for another one. So no message overtakes another.
      queue.push(message);
      clock.after(ms, () => {
        const oldest = queue.shift();
        if (oldest !== undefined) process(deps, oldest);
      });
    },
    clear() {
      queue = [];
    },
  };
}

function process(deps: IntakeDeps, { person, warnings, ...queued }: Queued): void {
  const { config, changes, contacts, messages, replies } = deps;
  const contact = contacts.ofSender(queued.fromId, person);
  const conversation = messages.open(queued.fromId, contact.id);
  const message: IncomingMessage = { ...queued, contactId: contact.id };
  if (message.messageType === "reaction") {
    const last = conversation.messages.findLast(({ direction }) => direction === "out");
    if (last !== undefined) message.reactsTo = last.messageId;
  }
  messages.add(conversation, message);
  if (message.media !== undefined) keepCopy(deps, message.media, warnings);
  if (message.messageType === "text" || config.reactionTriggersBot) replies.turn(conversation, message);
  changes.touch();
}

/** Fetches a linked file when the option `mediaFetch` says so. */
function keepCopy({ config, clock, poster, changes }: IntakeDeps, media: Media, warnings: string[]): void {
  if (media.bytes !== undefined || config.mediaFetch === "off") return;
  const fetch = async () => {
    await fetchMedia(media, poster, config);
    if (media.error !== undefined) warnings.push(`mediaError: ${media.error}`);
    changes.touch();
  };
  if (config.mediaFetch === "immediate") void fetch();
  else clock.after(config.mediaFetch, () => void fetch());
}
