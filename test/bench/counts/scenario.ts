/**
 * Counts what the relay does for one round trip, one `hello` and one heartbeat. It measures no times or rates, so the
 * numbers are the same on every machine. All requests of a step are made within one tick of the event loop.
 */
import { randomId } from "@porchlight/shared/id";
import { type Counted, type Counters, plain, startCounting } from "./counters.ts";
import { type Client, startTestbed, type Testbed, until } from "./testbed.ts";

/** Visitors who write at once: fewer than `CALLS_AT_ONCE_MAX` of `keygate.ts`, so the relay sends all their messages at once. */
const VISITORS = 32;
/** Waves before anything is counted, until the pacer allows a whole wave at once. */
const WARM_WAVES = 11;
const WAVES = 4;
const HEARTBEAT_MS = 25_000;

/**
 * What one step does per visitor. `exact`: the same in every run. `grouped`, per step of all visitors: depends on what the
 * operating system delivers together, so it differs from run to run and no test compares it.
 */
export type Step = { exact: Record<string, number>; grouped?: Record<string, number> };
export type Counts = { command: string; visitors: number; steps: Record<string, Step> };
/** `statements`: how often a round trip runs each SQL statement. */
export type Report = { counts: Counts; statements: ReadonlyMap<string, number> };

type Tally = Counted & { transactions: number; timers: number; frames: number; pings: number; connections: number };

const EXACT = ["statements", "transactions", "frames", "pings", "hashes", "json"] as const;
const GROUPED = ["commits", "walFrames", "timers", "connections"] as const;

/** Waits for ticks of the event loop. */
const ticks = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};

const total = (clients: readonly Client[], of: (client: Client) => number): number =>
  clients.reduce((sum, client) => sum + of(client), 0);

const framesOf = ({ frames }: Client): number =>
  [...frames].reduce((sum, [type, count]) => sum + (type === "(ping)" ? 0 : count), 0);

const messageOf = (): string => plain.stringify({ t: "send", id: randomId(16), text: "Do you ship to Norway?" });

const replyTo = (toId: string): string =>
  plain.stringify({
    contactId: "c",
    messageId: randomId(),
    userId: "u",
    body: "Yes, we do.",
    toId,
    channel: "website",
  });

/** The service accepts every message and answers all at once. @returns the visitors who sent them */
async function deliver({ posted, clock }: Testbed, count: number, warm: boolean): Promise<string[]> {
  const visitors: string[] = [];
  // While the pacer learns the limit, further calls wait for the answers to the first ones.
  while (visitors.length < count) {
    await until(
      () => posted.length === count - visitors.length || (warm && posted.length > 0),
      warm ? clock : undefined,
    );
    for (const { fromId, answer } of posted.splice(0)) {
      visitors.push(fromId);
      answer("200 OK", "", '{"success":true,"messageId":"m"}');
    }
  }
  return visitors;
}

/** One wave: all visitors send a message at once, all messages are accepted at once, and all replies arrive at once. */
async function wave(testbed: Testbed, clients: readonly Client[], warm = false): Promise<void> {
  const before = clients.map(({ seen }) => ({ ...seen }));
  const all = (what: "delivered" | "replies") => (): boolean =>
    clients.every(({ seen }, i) => seen[what] > (before[i]?.[what] ?? 0));
  for (const { connection } of clients) connection.send(messageOf());
  const visitors = await deliver(testbed, clients.length, warm);
  await until(all("delivered"), warm ? testbed.clock : undefined);
  const statuses = await Promise.all(visitors.map((visitor) => testbed.poster.post(replyTo(visitor))));
  if (statuses.some((status) => status !== 200)) throw new Error(`Callbacks were answered ${statuses.join()}`);
  await until(all("replies"));
  await ticks(VISITORS);
}

/** All visitors send `hello` at once: new ones, or known ones whose thread has nothing new. */
const greet = (testbed: Testbed, known: readonly Client[]): Promise<Client[]> =>
  Promise.all(Array.from({ length: VISITORS }, (_, i) => testbed.connect(known[i])));

function tallyOf(testbed: Testbed, counters: Counters): Tally {
  return {
    ...counters.counted(),
    transactions: testbed.transactions(),
    timers: testbed.clock.timers(),
    frames: total(testbed.clients, framesOf),
    pings: total(testbed.clients, ({ frames }) => frames.get("(ping)") ?? 0),
    connections: testbed.poster.opened(),
  };
}

/** The counts of one repeat: the difference of two tallies divided by `repeats`. */
function difference(before: Tally, after: Tally, repeats: number): Record<keyof Tally, number> {
  const names = Object.keys(after) as (keyof Tally)[];
  return Object.fromEntries(names.map((name) => [name, (after[name] - before[name]) / repeats])) as Record<
    keyof Tally,
    number
  >;
}

const pick = <Name extends string>(names: readonly Name[], value: (name: Name) => number): Record<Name, number> =>
  Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, number>;

/** Runs the scenario once, which takes some seconds. */
export async function count(): Promise<Report> {
  const testbed = await startTestbed(VISITORS);
  const counters = startCounting(testbed.file);
  const steps: Record<string, Step> = {};

  /**
   * Counts a step during which time passes. What the relay does on its own meanwhile is less than one per visitor and
   * is rounded away.
   */
  async function roughly(name: string, act: () => Promise<void>): Promise<void> {
    const before = tallyOf(testbed, counters);
    await act();
    const done = difference(before, tallyOf(testbed, counters), 1);
    steps[name] = { exact: pick(EXACT, (key) => Math.floor(done[key] / VISITORS)) };
  }

  /** Counts a step that is repeated while no time passes. */
  async function exactly(name: string, repeats: number, act: () => Promise<void>): Promise<void> {
    const before = tallyOf(testbed, counters);
    for (let i = 0; i < repeats; i++) await act();
    const done = difference(before, tallyOf(testbed, counters), repeats);
    const exact = pick(EXACT, (key) => Number((done[key] / VISITORS).toFixed(2)));
    steps[name] = { exact, grouped: pick(GROUPED, (key) => Math.ceil(done[key])) };
  }

  try {
    let clients: Client[] = [];
    await roughly("greeting", async () => {
      clients = await greet(testbed, []);
    });
    await roughly("first message", () => wave(testbed, clients, true));
    for (let i = 1; i < WARM_WAVES; i++) await wave(testbed, clients, true);
    // On a slow machine the clock has moved by seconds, so some clients had their first heartbeat. Start again with new
    // connections.
    for (const { connection } of clients) connection.cut();
    clients = await greet(testbed, clients);
    const before = new Map(counters.statements());
    await exactly("round trip", WAVES, () => wave(testbed, clients));
    const trips = WAVES * VISITORS;
    const runs = [...counters.statements()].map(
      ([sql, runs]) => [sql, (runs - (before.get(sql) ?? 0)) / trips] as const,
    );
    await roughly("heartbeat", async () => {
      testbed.clock.move(HEARTBEAT_MS);
      await until(() => clients.every(({ frames }) => frames.has("pong") && frames.has("(ping)")));
    });
    for (const { connection } of clients) connection.cut();
    await roughly("resume", async () => {
      await greet(testbed, clients);
    });
    const counts = { command: "npm run bench -- --counts", visitors: VISITORS, steps };
    return { counts, statements: new Map(runs.filter(([, each]) => each > 0)) };
  } finally {
    counters.stop();
    await testbed.stop();
  }
}
