import type { Message } from "@porchlight/shared/protocol";
import { seededRandom } from "@porchlight/shared/seeded-random";
import { expect, it } from "vitest";
import { type Chat, createChat, type Item } from "./chat.ts";
import { createModelRelay, type ModelRelay, type Visitor } from "./relay.fixture.ts";
import { type Browser, createBrowser, createWorld, type Tab, type World } from "./world.fixture.ts";

/** One load of the page in one tab. */
type Open = { name: string; tab: Tab; chat: Chat };
/** A typed text and its tab. The order within a tab must hold. */
type Typed = { text: string; lane: string };

const STEPS = 40;

/** The state of one run. */
type Sequence = {
  seed: number;
  hostile: boolean;
  world: World;
  /** Random numbers from 0 to 1 for the actions. The world has its own. */
  pick: () => number;
  relay: ModelRelay;
  browser: Browser;
  typed: Typed[];
  /** Texts whose order does not have to hold: the visitor retried them, or they are shown as not sent. */
  unordered: Set<string>;
  open: Open[];
  /** Number of tabs so far. */
  tabs: number;
};
type Action = [weight: number, act: (one: Open) => void];

/** One run: random actions of visitors, network and relay, then a calm phase. Throws the violations with the seed. */
export function run(seed: number, hostile: boolean): { accepted: number; connections: number } {
  const world = createWorld(seed);
  const pick = seededRandom(seed ^ 0x5eed);
  const relay = createModelRelay(world);
  const browser = createBrowser(world, 1 + pick() * 20);
  const sequence: Sequence = {
    seed,
    hostile,
    world,
    pick,
    relay,
    browser,
    typed: [],
    unordered: new Set(),
    open: [],
    tabs: 0,
  };
  if (hostile) Object.assign(relay.fault, { drop: 0.05, double: 0.1, reorder: 0.1, forgetHint: 0.1, refuse: 0.1 });
  relay.fault.commitLost = 0.5;
  load(sequence);
  world.advance(1_000);
  const acts = [...conversationActs(sequence), ...networkActs(sequence), ...tabActs(sequence)];
  for (let n = 0; n < STEPS; n++) step(sequence, acts);
  calmDown(sequence);
  const log = [...relay.visitors.values()].flatMap((one) => [...one.log.values()]).sort((a, b) => a.pos - b.pos);
  checkArrived(sequence, log);
  checkShown(sequence, log);
  return { accepted: log.length, connections: relay.connections() };
}

/** Visitors write, time passes, and the service answers. */
const conversationActs = (sequence: Sequence): Action[] => {
  const { world, pick, relay } = sequence;
  return [
    [10, (one) => type(sequence, one)],
    [4, (one) => [type(sequence, one), type(sequence, one), type(sequence, one)]],
    [6, () => world.advance(pick() * 300)],
    [6, () => world.advance(pick() * 5_000)],
    [1, () => world.advance(pick() * 200_000)],
    [4, () => writer(sequence) && relay.reply(writer(sequence) as Visitor)],
    [4, () => writer(sequence) && relay.settle(writer(sequence) as Visitor, "delivered")],
    [1, () => writer(sequence) && relay.settle(writer(sequence) as Visitor, "failed")],
    [2, (one) => retryFailed(sequence, one)],
  ];
};

/** Connections break, and the relay restarts. */
const networkActs = (sequence: Sequence): Action[] => {
  const { relay } = sequence;
  return [
    [3, ({ tab }) => relay.cut(tab, false)],
    [2, ({ tab }) => relay.cut(tab, true)],
    [1, () => relay.restart()],
    [2, () => relay.crash()],
    [1, () => outage(sequence)],
  ];
};

/** Tabs open, close, hide, lose the network and reconnect. */
const tabActs = (sequence: Sequence): Action[] => {
  const { world, pick, relay } = sequence;
  return [
    [2, (one) => [kill(sequence, one), load(sequence, one.name)]],
    [1, (one) => [close(sequence, one), load(sequence, one.name)]],
    [1, () => sequence.open.length < 4 && load(sequence)],
    [1, (one) => sequence.open.length > 1 && close(sequence, one)],
    [1, ({ tab }) => tab.hide()],
    [2, ({ tab }) => tab.show()],
    [1, ({ tab }) => [tab.unplug(), relay.cut(tab, pick() < 0.5)]],
    [2, ({ tab }) => tab.plug()],
    [1, ({ chat }) => chat.markRead()],
    [1, ({ chat }) => chat.loadOlder()],
    [1, ({ chat }) => [chat.stop(), world.advance(pick() * 1_000), chat.start()]],
  ];
};

/** Every message arrived once, in the order of its tab, and belongs to one visitor. @param log all messages in order */
function checkArrived(sequence: Sequence, log: readonly Message[]): void {
  const all = [...sequence.relay.visitors.values()];
  const arrived = log.filter(({ from }) => from === "visitor").map(({ text }) => text);

  expect(
    all.filter((one) => one.log.size),
    why(sequence, "one browser is one visitor"),
  ).toHaveLength(log.length ? 1 : 0);
  expect([...arrived].sort(), why(sequence, "every message once")).toEqual(
    sequence.typed.map(({ text }) => text).sort(),
  );
  for (const lane of new Set(sequence.typed.map((entry) => entry.lane))) {
    const mine = sequence.typed
      .filter((entry) => entry.lane === lane && !sequence.unordered.has(entry.text))
      .map(({ text }) => text);
    expect(
      arrived.filter((text) => mine.includes(text)),
      why(sequence, "typed order"),
    ).toEqual(mine);
  }
}

/** Every tab is online and shows the whole thread; after its end no listener is left. @param log all messages in order */
function checkShown(sequence: Sequence, log: readonly Message[]): void {
  const wanted = log.map(({ id, n }) => [id, n]);
  for (const { name, chat } of sequence.open) {
    const shown = chat.items.value.map(({ id, n }: Item) => [id, n]);
    expect(chat.link.value, why(sequence, `${name} is online`)).toBe("online");
    expect(shown, why(sequence, `${name} shows the whole thread in order`)).toEqual(wanted);
  }
  for (const { chat } of sequence.open) chat.destroy();
  expect(
    sequence.open.map(({ tab }) => tab.listening()),
    why(sequence, "no listener is left"),
  ).toEqual(sequence.open.map(() => 0));
}

function load(sequence: Sequence, name = `tab-${++sequence.tabs}`): Open {
  const tab = sequence.browser.tab();
  const chat = createChat({
    site: "default",
    relay: "https://relay.test",
    page: tab.page,
    storage: tab.storage,
    connect: sequence.relay.dial(tab),
  });
  chat.start();
  const opened = { name, tab, chat };
  sequence.open.push(opened);
  return opened;
}

/** Ends a tab without events. */
function kill(sequence: Sequence, one: Open): void {
  one.tab.kill();
  sequence.open = sequence.open.filter((other) => other !== one);
}

/** Closes a tab as a browser does, with its events. */
function close(sequence: Sequence, one: Open): void {
  one.tab.emit("pagehide");
  kill(sequence, one);
}

/** Begins or ends an outage of the relay. */
function outage(sequence: Sequence): void {
  sequence.relay.crash();
  sequence.relay.up = !sequence.relay.up;
}

/** A random entry of the list. */
const anyOf = <T>(sequence: Sequence, list: readonly T[]): T => list[Math.floor(sequence.pick() * list.length)] as T;

/** The first visitor who has written. */
const writer = (sequence: Sequence): Visitor | undefined =>
  [...sequence.relay.visitors.values()].find(({ log }) => log.size > 0);

function type(sequence: Sequence, one: Open): void {
  const text = `${one.name}#${sequence.typed.length}`;
  if (one.chat.send(text)) sequence.typed.push({ text, lane: one.name });
}

function retryFailed(sequence: Sequence, one: Open): void {
  for (const item of one.chat.items.value.filter(({ state }) => state === "failed")) {
    sequence.unordered.add(item.text);
    one.chat.retry(item.id);
  }
}

/** One random action in a random tab. */
function step(sequence: Sequence, acts: readonly Action[]): void {
  const weighted = acts.flatMap(([weight, act]) => new Array<Action[1]>(weight).fill(act));
  anyOf(sequence, weighted)(anyOf(sequence, sequence.open));
  for (const { name, chat } of sequence.open)
    for (const { text, state } of chat.items.value)
      if (state === "failed" && text.startsWith(`${name}#`)) sequence.unordered.add(text);
}

/** Ends all failures, opens a tab, and retries what failed until everything has arrived. */
function calmDown(sequence: Sequence): void {
  for (const kind of Object.keys(sequence.relay.fault) as (keyof ModelRelay["fault"])[]) sequence.relay.fault[kind] = 0;
  sequence.relay.up = true;
  load(sequence);
  for (const { tab } of sequence.open) {
    tab.show();
    tab.plug();
  }
  sequence.world.advance(120_000);
  for (let round = 0; round < 40; round++) {
    for (const one of sequence.open) {
      for (const { id, state, n, text } of one.chat.items.value)
        if (state === "failed" && n === undefined) {
          sequence.unordered.add(text);
          one.chat.retry(id);
        }
      one.chat.loadOlder();
    }
    sequence.world.advance(3_000);
  }
}

/** What is checked, with the seed that repeats the run. */
const why = (sequence: Sequence, what: string) =>
  `${what} (seed ${sequence.seed}, ${sequence.hostile ? "hostile" : "plain"})`;

/** Defines the test of the random sequences with the seeds 1 to `count`. */
export const randomSequences = (count: number): void =>
  it(`the chat loses, duplicates and reorders no message in ${count} random sequences`, () => {
    let accepted = 0;
    for (let seed = 1; seed <= count; seed++) accepted += run(seed, seed % 2 === 0).accepted;
    expect(accepted).toBeGreaterThan(count * 5);
  });
