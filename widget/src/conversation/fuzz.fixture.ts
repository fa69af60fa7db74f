import { expect, it } from "vitest";
import { type Chat, createChat, type Item } from "./chat.ts";
import { createModelRelay, type Visitor } from "./relay.fixture.ts";
import { createBrowser, createRandom, createWorld, type Tab } from "./world.fixture.ts";

/** One load of the page in one tab. */
type Open = { name: string; tab: Tab; chat: Chat };
/** A typed text and its tab. The order within a tab must hold. */
type Typed = { text: string; lane: string };

const STEPS = 40;
/** One run: random actions of visitors, network and relay, then a calm phase. Throws the violations with the seed. */
export function run(seed: number, hostile: boolean): { accepted: number; connections: number } {
  const world = createWorld(seed);
  const pick = createRandom(seed ^ 0x5eed);
  const relay = createModelRelay(world);
  const browser = createBrowser(world, 1 + pick() * 20);
  const typed: Typed[] = [];
  /** Texts whose order does not have to hold: the visitor retried them, or they are shown as not sent. */
  const late = new Set<string>();
  let open: Open[] = [];
  let tabs = 0;

  function load(name = `tab-${++tabs}`): Open {
    const tab = browser.tab();
    const chat = createChat({
      site: "default",
      relay: "https://relay.test",
      page: tab.page,
      storage: tab.storage,
      connect: relay.dial(tab),
    });
    chat.start();
    const opened = { name, tab, chat };
    open.push(opened);
    return opened;
  }
  function kill(one: Open): void {
    one.tab.kill();
    open = open.filter((other) => other !== one);
  }
  function close(one: Open): void {
    one.tab.emit("pagehide");
    kill(one);
  }
  function outage(): void {
    relay.crash();
    relay.up = !relay.up;
  }
  const any = <T>(list: readonly T[]): T => list[Math.floor(pick() * list.length)] as T;
  const visitor = (): Visitor | undefined => [...relay.visitors.values()].find(({ log }) => log.size > 0);

  function type(one: Open): void {
    const text = `${one.name}#${typed.length}`;
    if (one.chat.send(text)) typed.push({ text, lane: one.name });
  }
  function retryFailed(one: Open): void {
    for (const item of one.chat.items.value.filter(({ state }) => state === "failed")) {
      late.add(item.text);
      one.chat.retry(item.id);
    }
  }

  const acts: [weight: number, act: (one: Open) => void][] = [
    [10, type],
    [4, (one) => [type(one), type(one), type(one)]],
    [6, () => world.advance(pick() * 300)],
    [6, () => world.advance(pick() * 5_000)],
    [1, () => world.advance(pick() * 200_000)],
    [4, () => visitor() && relay.reply(visitor() as Visitor)],
    [4, () => visitor() && relay.judge(visitor() as Visitor, "delivered")],
    [1, () => visitor() && relay.judge(visitor() as Visitor, "failed")],
    [2, retryFailed],
    [3, ({ tab }) => relay.cut(tab, false)],
    [2, ({ tab }) => relay.cut(tab, true)],
    [1, () => relay.restart()],
    [2, () => relay.crash()],
    [1, outage],
    [2, (one) => [kill(one), load(one.name)]],
    [1, (one) => [close(one), load(one.name)]],
    [1, () => open.length < 4 && load()],
    [1, (one) => open.length > 1 && close(one)],
    [1, ({ tab }) => tab.hide()],
    [2, ({ tab }) => tab.show()],
    [1, ({ tab }) => [tab.unplug(), relay.cut(tab, pick() < 0.5)]],
    [2, ({ tab }) => tab.plug()],
    [1, ({ chat }) => chat.seen()],
    [1, ({ chat }) => chat.loadOlder()],
    [1, ({ chat }) => [chat.stop(), world.advance(pick() * 1_000), chat.start()]],
  ];
  function step(): void {
    const wheel = acts.flatMap(([weight, act]) => new Array<(one: Open) => void>(weight).fill(act));
    any(wheel)(any(open));
    for (const { name, chat } of open)
      for (const { text, state } of chat.items.value)
        if (state === "failed" && text.startsWith(`${name}#`)) late.add(text);
  }

  function calm(): void {
    for (const kind of Object.keys(relay.fault) as (keyof typeof relay.fault)[]) relay.fault[kind] = 0;
    relay.up = true;
    load();
    for (const { tab } of open) {
      tab.show();
      tab.plug();
    }
    world.advance(120_000);
    for (let round = 0; round < 40; round++) {
      for (const one of open) {
        for (const { id, state, n, text } of one.chat.items.value)
          if (state === "failed" && n === undefined) {
            late.add(text);
            one.chat.retry(id);
          }
        one.chat.loadOlder();
      }
      world.advance(3_000);
    }
  }

  if (hostile) Object.assign(relay.fault, { drop: 0.05, double: 0.1, reorder: 0.1, forgetHint: 0.1, refuse: 0.1 });
  relay.fault.commitLost = 0.5;
  load();
  world.advance(1_000);
  for (let n = 0; n < STEPS; n++) step();
  calm();

  const all = [...relay.visitors.values()];
  const log = all.flatMap((one) => [...one.log.values()]).sort((a, b) => a.pos - b.pos);
  const arrived = log.filter(({ from }) => from === "visitor").map(({ text }) => text);
  const why = (what: string) => `${what} (seed ${seed}, ${hostile ? "hostile" : "plain"})`;
  expect(
    all.filter((one) => one.log.size),
    why("one browser is one visitor"),
  ).toHaveLength(log.length ? 1 : 0);
  expect([...arrived].sort(), why("every message once")).toEqual(typed.map(({ text }) => text).sort());
  for (const lane of new Set(typed.map((entry) => entry.lane))) {
    const mine = typed.filter((entry) => entry.lane === lane && !late.has(entry.text)).map(({ text }) => text);
    expect(
      arrived.filter((text) => mine.includes(text)),
      why("typed order"),
    ).toEqual(mine);
  }
  const wanted = log.map(({ id, n }) => [id, n]);
  for (const { name, chat } of open) {
    const shown = chat.items.value.map(({ id, n }: Item) => [id, n]);
    expect(chat.link.value, why(`${name} is online`)).toBe("online");
    expect(shown, why(`${name} shows the whole thread in order`)).toEqual(wanted);
  }
  for (const { chat } of open) chat.destroy();
  expect(
    open.map(({ tab }) => tab.listening()),
    why("no listener is left"),
  ).toEqual(open.map(() => 0));
  return { accepted: log.length, connections: relay.connections() };
}

/** Defines the test of the random sequences with the seeds 1 to `count`. */
export const randomSequences = (count: number): void =>
  it(`the chat loses, duplicates and reorders no message in ${count} random sequences`, () => {
    let accepted = 0;
    for (let seed = 1; seed <= count; seed++) accepted += run(seed, seed % 2 === 0).accepted;
    expect(accepted).toBeGreaterThan(count * 5);
  });
