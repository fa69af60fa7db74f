/** Builds and connects the parts of the service, without HTTP. */

import { type Callbacks, makeCallbacks } from "./callbacks.ts";
import { type Campaigns, makeCampaigns } from "./campaigns.ts";
import { type Changes, makeChanges } from "./changes.ts";
import { type Clock, makeClock } from "./clock.ts";
import { type Contacts, makeContacts } from "./contacts.ts";
import { type Credits, makeCredits } from "./credits.ts";
import { type Faults, makeFaults } from "./faults.ts";
import { type Intake, makeIntake } from "./intake.ts";
import { type Journal, makeJournal } from "./journal.ts";
import { type Lists, makeLists } from "./lists.ts";
import { type Messages, makeMessages, makeSids, type Sids } from "./messages.ts";
import type { SandboxConfig } from "./options.ts";
import { makePoster, type Poster } from "./poster.ts";
import { makeId, type Random, seeded } from "./random.ts";
import { makeRate, type Rate } from "./rate.ts";
import { makeRecharges, type Recharges } from "./recharge.ts";
import { makeReplies, type Replies } from "./replies.ts";

export type Service = {
  config: SandboxConfig;
  clock: Clock;
  /** Random numbers for delays. Ids and faults have their own streams, so that they do not influence each other. */
  random: Random;
  newId: () => string;
  changes: Changes;
  journal: Journal;
  rate: Rate;
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

export function makeService(config: SandboxConfig, now: () => number, random: () => number): Service {
  const streams = [1, 2, 3].map(() => seeded(Math.floor(random() * 2 ** 32)));
  const [ids = random, faultStream = random, delays = random] = streams;
  const newId = () => makeId(ids, config.numericIds);
  const clock = makeClock(config, now);
  const changes = makeChanges();
  const journal = makeJournal(() => config.journalSize);
  const poster = makePoster();
  const contacts = makeContacts(config, newId, clock.now);
  const campaigns = makeCampaigns(config);
  const messages = makeMessages();
  const credits = makeCredits(newId, clock.now);
  const callbacks = makeCallbacks({ config, clock, random: delays, poster, journal, changed: changes.touch });
  const records = { contacts, campaigns, messages, credits, lists: makeLists(), sids: makeSids(config, clock.now) };
  const base = { config, clock, random: delays, newId, changes, journal, poster, rate: makeRate(config) };
  const replies = makeReplies({ ...base, ...records, callbacks });
  const service = {
    ...base,
    ...records,
    faults: makeFaults(config, faultStream),
    callbacks,
    replies,
    intake: makeIntake({ ...base, ...records, replies }),
    recharges: makeRecharges({ config, credits, callbacks, newKey: newId, now: clock.now }),
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
