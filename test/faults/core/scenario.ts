import type { ServiceBehaviour } from "./service.ts";
import type { World } from "./world.ts";

/** What a run does to the relay: drawn from the seed, or given. */
export type Scenario = {
  /** Relays on one database; 1: the relay has its own. */
  nodes: number;
  /** How often a node stops for 0.5 to 9 s, so sometimes longer than a lease: between two steps of its work, or at any moment. */
  stalls: number;
  visitors: number;
  tabs: number;
  messages: number;
  crashes: number;
  /** Some processes are ended while they start. */
  crashesAtStart: boolean;
  cuts: number;
  rotations: number;
  diskFull: boolean;
  spoolFull: boolean;
  hintLoss: number;
  /** Milliseconds by which the wall clock jumps once, forward or back. */
  jump: number;
  behaviour: ServiceBehaviour;
  /** Duration of the failures in milliseconds. Afterwards everything works. */
  failureMs: number;
  /** Probability that the service refuses a message. */
  poison: number;
  /** The visitors press Retry on failed messages. */
  retries: boolean;
  /** Hours for which the service is unreachable. */
  outage: number;
  /** Probability that two tabs send the same message, because both found it in the browser's storage. */
  replays: number;
  /** Replies to the first visitor while all their tabs are offline: more than fit into a gap. */
  flood: number;
  /** Some visitors delete their chat. */
  forgets: number;
  /** A backup is restored over the database. */
  restore: boolean;
};

export const HOUR = 3_600_000;
const JUMPS = [-24 * HOUR, -HOUR, HOUR, 24 * HOUR];

/** Draws a scenario: some runs have no failures, some have every kind. */
export function draw(world: World): Scenario {
  const some = (probability: number, value: () => number): number => (world.chance(probability) ? value() : 0);
  return {
    nodes: 1,
    stalls: 0,
    visitors: world.pick(1, 4),
    tabs: world.pick(1, 3),
    messages: world.pick(1, 12),
    crashes: some(0.7, () => world.pick(1, 6)),
    crashesAtStart: world.aside() < 0.5,
    cuts: some(0.6, () => world.pick(1, 8)),
    rotations: some(0.2, () => 1),
    diskFull: world.chance(0.15),
    spoolFull: world.chance(0.05),
    hintLoss: some(0.3, () => world.random() * 0.5),
    jump: some(0.15, () => JUMPS[world.pick(0, JUMPS.length - 1)] ?? 0),
    behaviour: {
      down: some(0.3, () => world.random() * 0.5),
      failing: some(0.4, () => world.random() * 0.4),
      lostCall: some(0.2, () => world.random() * 0.3),
      lostAnswer: some(0.5, () => world.random() * 0.4),
      slow: some(0.2, () => world.pick(0, 10_000)),
      limit: some(0.2, () => world.pick(10, 100)),
      replies: world.pick(0, 3),
      repeats: some(0.3, () => world.random() * 0.6),
      nameless: some(0.1, () => 1),
      forged: some(0.2, () => 0.5),
    },
    failureMs: world.pick(5, 120) * 1_000,
    poison: some(0.3, () => 0.1),
    retries: world.chance(0.5),
    outage: 0,
    replays: some(0.3, () => 0.5),
    flood: 0,
    forgets: some(0.1, () => world.pick(1, 2)),
    restore: world.chance(0.05),
  };
}

/** Runs that are too long or too rare to be drawn; each has its own seeds. */
export const SPECIAL = {
  /** Shorter than the horizon: everything is delivered automatically, once. */
  "outage of 11 hours": { outage: 11, jump: 0, visitors: 2, messages: 6, forgets: 0, restore: false },
  /** Longer: older messages fail visibly, and Retry delivers them. */
  "outage of 13 hours": { outage: 13, jump: 0, visitors: 2, messages: 6, forgets: 0, restore: false, retries: true },
  "a thousand replies while away": { flood: 1_100, visitors: 2, tabs: 2, forgets: 0, restore: false, spoolFull: false },
  "a restored backup": { restore: true, outage: 0 },
  "deleted chats": { forgets: 2 },
  "a clock set back a day": { jump: -24 * HOUR },
  "a clock set forward a day": { jump: 24 * HOUR, retries: true },
} as const satisfies Record<string, Partial<Scenario>>;

/**
 * Two couriers that share an account. There is no restored backup, and the database is never away: replies that different nodes
 * spool for one visitor may change places (relay/docs/guides/cluster.md).
 */
const PAIR = { nodes: 2, jump: 0, restore: false, diskFull: false, spoolFull: false, flood: 0 } as const;

/** Scenarios with two nodes; each has its own seeds. */
export const PAIRS = {
  "nodes that are killed and paused": { ...PAIR, stalls: 6, crashes: 4, failureMs: 60_000, messages: 12 },
  "nodes that are paused while hints are lost": { ...PAIR, stalls: 8, hintLoss: 0.5, failureMs: 60_000, messages: 12 },
  "nodes that receive no hint": { ...PAIR, stalls: 3, hintLoss: 1, failureMs: 60_000 },
  "nodes whose clocks differ by an hour": { ...PAIR, stalls: 4, jump: HOUR },
} as const satisfies Record<string, Partial<Scenario>>;
