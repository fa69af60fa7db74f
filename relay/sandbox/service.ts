/** Builds and connects the parts of the service, without HTTP. */

import { seededRandom } from "@porchlight/shared/seeded-random";
import { type Callbacks, createCallbacks } from "./callbacks.ts";
import { type Campaigns, createCampaigns } from "./campaigns.ts";
import { type Changes, createChanges } from "./changes.ts";
import { type Clock, createClock } from "./clock.ts";
import { type Contacts, createContacts } from "./contacts.ts";
import { type Credits, createCredits } from "./credits.ts";
import { createFaults, type Faults } from "./faults.ts";
import { createIntake, type Intake } from "./intake.ts";
import { createJournal, type Journal } from "./journal.ts";
import { createLists, type Lists } from "./lists.ts";
import { createMessages, createSids, type Messages, type Sids } from "./messages.ts";
import type { SandboxConfig } from "./options.ts";
import { createPoster, type Poster } from "./poster.ts";
import { createId, type Random } from "./random.ts";
import { createRateLimit, type RateLimit } from "./rate.ts";
import { createRecharges, type Recharges } from "./recharge.ts";
import { createReplies, type Replies } from "./replies.ts";

export type Service = {
  config: SandboxConfig;
  clock: Clock;
  /** Random numbers for delays. Ids and faults have their own streams, so that they do not influence each other. */
  random: Random;
  newId: () => string;
  changes: Changes;
  journal: Journal;
  rate: RateLimit;
  faults: Faults;
  contacts: Contacts;
  lists: Lists;
  campaigns: Campaigns;
  messages: Messages;
  sids: Sids;
  credits: Credits;
  poster: Poster;
  callbacks: Callbacks;
  replies: Replies;
  intake: Intake;
  recharges: Recharges;
  /** Deletes all data, seed included. Options stay. */
  clear(): void;
};

/**
 * @param now milliseconds since the epoch by the machine's clock
 * @param random seeds the streams of ids, faults and delays
 */
export function createService(config: SandboxConfig, now: () => number, random: () => number): Service {
  const streams = [1, 2, 3].map(() => seededRandom(Math.floor(random() * 2 ** 32)));
  const [ids = random, faultStream = random, delays = random] = streams;
  const newId = () => createId(ids, config.numericIds);
  const clock = createClock(config, now);
  const changes = createChanges();
  const journal = createJournal(() => config.journalSize);
  const poster = createPoster();
  const contacts = createContacts(config, newId, clock.now);
  const campaigns = createCampaigns(config);
  const messages = createMessages();
  const credits = createCredits(newId, clock.now);
  const callbacks = createCallbacks({ config, clock, random: delays, poster, journal, changed: changes.touch });
  const records = { contacts, campaigns, messages, credits, lists: createLists(), sids: createSids(config, clock.now) };
  const base = { config, clock, random: delays, newId, changes, journal, poster, rate: createRateLimit(config) };
  const replies = createReplies({ ...base, ...records, callbacks });
  const service = {
    ...base,
    ...records,
    faults: createFaults(config, faultStream),
    callbacks,
    replies,
    intake: createIntake({ ...base, ...records, replies }),
    recharges: createRecharges({ config, credits, callbacks, newKey: newId, now: clock.now }),
  };

  function clear(): void {
    clock.clear();
    const { journal, rate, faults, lists, sids, replies, intake, recharges } = service;
    for (const part of [journal, rate, faults, lists, sids, replies, intake, recharges]) part.clear();
    for (const part of [contacts, campaigns, messages, credits, callbacks]) part.clear();
    changes.touch();
  }
  return { ...service, clear };
}
