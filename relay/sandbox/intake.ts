/** What happens to an incoming message after its 200: contact, conversation, stored message, the bot's turn. */

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

/** A message that was taken but not processed: its contact may not exist yet. */
export type Queued = Omit<IncomingMessage, "contactId"> & {
  person: Person;
  /** What the journal says of the request that brought it. */
  warnings: string[];
};

export type Intake = {
  /** Processes the message after `processingDelayMs`, in the order of calls unless the option says otherwise. */
  add(message: Queued): void;
  clear(): void;
};

/** How far messages spread when they may overtake each other and no delay is set. */
const SHUFFLE_MS = { min: 0, max: 50 };

export function makeIntake(parts: {
  config: SandboxConfig;
  clock: Clock;
  random: Random;
  poster: Poster;
  changes: Changes;
  contacts: Contacts;
  messages: Messages;
  replies: Replies;
}): Intake {
  const { config, clock, random, poster, changes, contacts, messages, replies } = parts;
  let queue: Queued[] = [];

  function add(message: Queued): void {
    const shuffled = config.processInOrder || config.processingDelayMs !== 0 ? config.processingDelayMs : SHUFFLE_MS;
    const ms = draw(shuffled, random);
    if (ms === 0 && queue.length === 0) return process(message);
    if (!config.processInOrder) {
      clock.after(ms, () => process(message));
      return;
    }
    // Every timer takes the oldest message, whichever message it was set for: so none overtakes another.
    queue.push(message);
    clock.after(ms, () => {
      const oldest = queue.shift();
      if (oldest !== undefined) process(oldest);
    });
  }

  function process({ person, warnings, ...queued }: Queued): void {
    const contact = contacts.ofSender(queued.fromId, person);
    const conversation = messages.open(queued.fromId, contact.id);
    const message: IncomingMessage = { ...queued, contactId: contact.id };
    if (message.messageType === "reaction") {
      const last = conversation.messages.findLast(({ direction }) => direction === "out");
      if (last !== undefined) message.reactsTo = last.messageId;
    }
    messages.add(conversation, message);
    if (message.media !== undefined) keepCopy(message.media, warnings);
    if (message.messageType === "text" || config.reactionTriggersBot) replies.turn(conversation, message);
    changes.touch();
  }

  function keepCopy(media: Media, warnings: string[]): void {
    if (media.bytes !== undefined || config.mediaFetch === "off") return;
    const fetch = async () => {
      await fetchMedia(media, poster, config);
      if (media.error !== undefined) warnings.push(`mediaError: ${media.error}`);
      changes.touch();
    };
    if (config.mediaFetch === "immediate") void fetch();
    else clock.after(config.mediaFetch, () => void fetch());
  }

  return {
    add,
    clear() {
      queue = [];
    },
  };
}
