/** What is written between the deletion of a chat and the relay's word that it is deleted: it belongs to the next chat. */

import { CLOSE_CODE } from "@porchlight/shared/close";
import type { ClientFrame } from "@porchlight/shared/protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { createChat } from "./chat.ts";
import { createModelRelay } from "./relay.fixture.ts";
import { frameOf, only, replyOf, type Wire } from "./script.fixture.ts";
import { KEY, sends, states, type Visit, visit } from "./visit.fixture.ts";
import { type Browser, createBrowser, createRandom, createWorld, type World } from "./world.fixture.ts";

let world: World;
let browser: Browser;

beforeEach(() => {
  world = createWorld();
  browser = createBrowser(world);
});

const OLD = { t: "hello", v: 1, site: "shop", token: "token-1" };
const NEW = { t: "hello", v: 1, site: "shop" };
/** `forget` may go only where the old visitor greeted, and to those goes nothing else. */
const ERASING: ClientFrame[] = [OLD as ClientFrame, { t: "forget" }];

const kept = () => JSON.parse(browser.storage.get(KEY) ?? "null");

/** A page whose visitor deleted the chat without a network, and wrote on. */
async function wroteOn(...texts: string[]): Promise<Visit> {
  const one = visit(browser);
  const wire = one.online({ head: 1 });
  wire.say(frameOf(replyOf(1)));
  one.tab.unplug();
  wire.close(1006);
  void one.chat.forget();
  for (const text of texts) one.chat.send(text);
  return one;
}

/** The network is back: the deletion goes through, and what comes after it is answered as a new visitor is. */
async function seeThrough({ tab, script }: Visit): Promise<[erasing: Wire, next: Wire]> {
  tab.plug();
  const erasing = script.greet({ token: undefined, head: 1 });
  erasing.say(frameOf(replyOf(1)));
  erasing.close(CLOSE_CODE.gone);
  await Promise.resolve();
  return [erasing, script.greet({ token: "token-2" })];
}

/** A page whose visitor, known to an earlier one, deleted the chat and wrote on: the next chat has begun. */
async function beganAnew(): Promise<Visit> {
  const one = visit(browser);
  const wire = one.online({ token: undefined });
  void one.chat.forget();
  one.chat.send("anew");
  wire.close(CLOSE_CODE.gone);
  await Promise.resolve();
  one.script.greet({ token: "token-2" });
  return one;
}

/** The tab is given the lock for what an earlier page left, and hears how far the log has come. */
function flushes(wire: Wire): void {
  world.advance(1);
  wire.say({ t: "pong", head: 0 });
}

describe("what is written after a deletion", () => {
  it("waits for the next chat, and goes out once the old one is deleted", async () => {
    const one = await wroteOn("anew", "and more");
    expect(states(one.chat)).toEqual(["anew: queued", "and more: queued"]);
    one.chat.draft.value = "half";
    const [erasing, next] = await seeThrough(one);
    expect(erasing.sent).toEqual(ERASING);
    expect(next.sent[0]).toEqual(NEW);
    expect(sends(next)).toEqual(["anew"]);
    expect(only(next.sent, "forget")).toEqual([]);
    expect(states(one.chat)).toEqual(["anew: sending", "and more: queued"]);
    expect(one.chat.draft.value).toBe("half");
    expect(kept()).toMatchObject({ token: "token-2" });
    expect(kept().forget).toBeUndefined();
  });

  it("outlives a reload on both sides of the deletion", async () => {
    const first = await wroteOn("anew");
    first.chat.draft.value = "half";
    first.tab.emit("pagehide");
    first.tab.kill();
    const second = visit(browser);
    second.tab.unplug();
    second.chat.start();
    expect(states(second.chat)).toEqual(["anew: queued"]);
    expect(second.chat.draft.value).toBe("half");
    second.tab.plug();
    const erasing = second.script.greet({ token: undefined });
    expect(erasing.sent).toEqual(ERASING);
    erasing.close(CLOSE_CODE.gone);
    // The page goes away before a new chat has begun.
    second.tab.kill();
    const third = visit(browser);
    const wire = third.online({ token: "token-2" });
    flushes(wire);
    expect(wire.sent[0]).toEqual(NEW);
    expect(sends(wire)).toEqual(["anew"]);
    expect(third.chat.draft.value).toBe("half");
  });

  it("is not lost when the page dies after the request and before the answer", async () => {
    const first = await wroteOn("anew");
    first.tab.plug();
    first.script.greet({ token: undefined });
    first.tab.kill();
    const second = visit(browser);
    const [erasing, next] = await (async () => {
      second.chat.start();
      // The relay has done it, and does not know the token any more.
      const gone = second.script.wire;
      gone.open();
      gone.close(CLOSE_CODE.badToken);
      await Promise.resolve();
      return [gone, second.script.greet({ token: "token-2" })] as const;
    })();
    flushes(next);
    expect(erasing.sent).toEqual([OLD]);
    expect(next.sent[0]).toEqual(NEW);
    expect(sends(next)).toEqual(["anew"]);
  });

  it("stays where nothing was sent: the draft is there when the deletion is through", async () => {
    const one = await wroteOn();
    one.chat.draft.value = "half";
    one.tab.plug();
    const wire = one.script.greet({ token: undefined });
    wire.close(CLOSE_CODE.gone);
    await Promise.resolve();
    expect(one.chat.ending.value).toBe("gone");
    expect(one.chat.draft.value).toBe("half");
    expect(kept()).toMatchObject({ draft: "half" });
    expect(kept().token).toBeUndefined();
  });

  it("is sent by the tab in which it was written, whichever tab gets the deletion through", async () => {
    const one = await wroteOn("in the first");
    const other = visit(browser);
    other.tab.unplug();
    other.chat.start();
    other.chat.send("in the second");
    // The second one alone has a network.
    other.tab.plug();
    const erasing = other.script.greet({ token: undefined });
    expect(erasing.sent).toEqual(ERASING);
    erasing.close(CLOSE_CODE.gone);
    await Promise.resolve();
    other.script.greet({ token: "token-2" });
    world.advance(10);
    one.tab.plug();
    await Promise.resolve();
    const next = one.script.greet({ token: undefined });
    world.advance(1);
    for (const { sent } of one.script.wires) expect(only(sent, "forget")).toEqual([]);
    expect(next.sent[0]).toEqual({ ...NEW, token: "token-2" });
    expect(sends(next)).toContain("in the first");
  });

  it("is not deleted by a tab that hears late that the old chat is gone", async () => {
    const late = visit(browser);
    const line = late.online();
    const one = await beganAnew();
    line.close(CLOSE_CODE.gone);
    expect(kept()).toMatchObject({ token: "token-2", unsent: [{ text: "anew" }] });
    world.advance(10);
    expect(late.chat.ending.value).toBe("gone");
    expect(states(one.chat)).toEqual(["anew: sending"]);
  });

  it("goes to nobody else: a tab that slept through it drops what the old chat had not sent", async () => {
    const slept = visit(browser);
    slept.online().close(1006);
    slept.chat.send("of the old one");
    slept.tab.emit("pagehide");
    await beganAnew();
    slept.tab.emit("pageshow");
    const next = slept.script.greet({ token: undefined });
    expect(next.sent[0]).toEqual({ ...NEW, token: "token-2" });
    expect(sends(next)).not.toContain("of the old one");
    expect(JSON.stringify(kept())).not.toContain("of the old one");
  });

  it("nor by one that is awake and hears of everything late", async () => {
    browser = createBrowser(world, 5_000);
    const late = visit(browser);
    late.online().close(1006);
    late.tab.unplug();
    late.chat.send("of the old one");
    await beganAnew();
    world.advance(6_000);
    expect(JSON.stringify(kept())).not.toContain("of the old one");
  });

  it("can be files alone: whoever begins anew while the deletion waits need not do so again", async () => {
    const one = await wroteOn();
    one.chat.start();
    const [, next] = await seeThrough(one);
    expect(next.sent).toEqual([NEW]);
    expect(one.chat.link.value).toBe("online");
  });

  it("can be deleted as well, and the deletion of the old chat still goes through", async () => {
    const one = await wroteOn("anew");
    void one.chat.forget();
    expect(one.chat.items.value).toEqual([]);
    one.tab.plug();
    const wire = one.script.greet({ token: undefined });
    expect(wire.sent).toEqual(ERASING);
    wire.close(CLOSE_CODE.gone);
    expect(browser.storage.size).toBe(0);
  });
});

describe("a deletion that waits", () => {
  it("outlives a logout, in this tab and in another, and nothing written goes on", async () => {
    const one = await wroteOn("anew");
    const other = visit(browser);
    for (const tab of [other, one]) {
      tab.chat.logout();
      world.advance(10);
      expect(kept()).toMatchObject({ token: "token-1", forget: true });
      expect(one.chat.items.value).toEqual([]);
    }
    one.tab.plug();
    const wire = one.script.greet({ token: undefined });
    expect(wire.sent).toEqual(ERASING);
    wire.close(CLOSE_CODE.gone);
    expect(browser.storage.size).toBe(0);
  });

  it("is not turned on whoever the page says is here by then", async () => {
    const one = await wroteOn("anew");
    one.chat.identify("jwt");
    const [erasing, next] = await seeThrough(one);
    expect(erasing.sent).toEqual(ERASING);
    expect(next.sent[0]).toEqual({ ...NEW, identity: "jwt" });
  });

  it("is not asked for over a connection that greeted as somebody else", () => {
    const one = visit(browser);
    one.online().close(1006);
    one.chat.identify("jwt");
    const greeted = one.script.wire;
    greeted.open();
    void one.chat.forget();
    const wire = one.script.greet({ token: undefined });
    expect(greeted.sent).toEqual([{ ...OLD, epoch: "e1", since: 0, identity: "jwt" }]);
    expect(wire).not.toBe(greeted);
    expect(wire.sent).toEqual(ERASING);
  });

  it("is over for a tab that greets before it hears that another has seen it through", async () => {
    browser = createBrowser(world, 5_000);
    const one = visit(browser);
    one.online().close(1006);
    const done = one.chat.forget();
    const other = visit(browser);
    other.online({ token: undefined }).close(CLOSE_CODE.gone);
    world.advance(1_000);
    const next = one.script.greet({ token: "token-2" });
    await done;
    one.chat.send("anew");
    expect(next.sent[0]).toEqual(NEW);
    world.advance(10_000);
    expect(sends(next)).toContain("anew");
    expect(states(one.chat)).toEqual(["anew: sending"]);
  });

  it("lets no form of the old chat into the next one, and none of the next one into the old", async () => {
    const one = visit(browser);
    one.online().close(1006);
    const lead = (firstName: string) => one.chat.submit({ t: "lead", chat: true, firstName });
    const before = lead("Old");
    void one.chat.forget();
    expect(await before).toBe("try_later");
    world.advance(1_000);
    const erasing = one.script.greet({ token: undefined });
    void lead("New");
    erasing.close(CLOSE_CODE.gone);
    await Promise.resolve();
    const next = one.script.greet({ token: "token-2" });
    expect(erasing.sent).toEqual(ERASING);
    expect(only(next.sent, "lead").map(({ firstName }) => firstName)).toEqual(["New"]);
  });
});

/** One run: a deletion, and whatever may happen to page, network and relay around it. Answers what is wrong in the end. */
async function run(seed: number): Promise<string[]> {
  const world = createWorld(seed);
  const pick = createRandom(seed ^ 0xde1e7e);
  const browser = createBrowser(world, 1 + pick() * 500);
  const relay = createModelRelay(world);
  const load = () => {
    const tab = browser.tab();
    const ports = { page: tab.page, storage: tab.storage, connect: relay.dial(tab) };
    const chat = createChat({ site: "shop", relay: "https://relay.test", ...ports });
    chat.start();
    return { tab, chat };
  };
  /** In small steps, because what goes on by itself goes on between two of them. */
  const pass = async (ms: number): Promise<void> => {
    for (let step = 0; step < 20; step++) {
      world.advance(ms / 20);
      await Promise.resolve();
    }
  };
  const tabs = [load(), load()];
  const any = (): number => Math.floor(pick() * tabs.length);
  tabs[0]?.chat.send("old, written");
  await pass(2_000);
  if (pick() < 0.7) {
    relay.up = false;
    relay.crash();
  }
  if (pick() < 0.5) tabs[any()]?.chat.send("old, on its way");
  void tabs[0]?.chat.forget();
  // Until the other tab has heard of it, what is typed there is typed into the old chat.
  await pass(500);
  const typed: { one: (typeof tabs)[number]; text: string }[] = [];
  for (let step = 0; step < 12; step++) {
    const one = tabs[any()] as (typeof tabs)[number];
    const what = pick();
    if (what < 0.4) {
      one.chat.start();
      const text = `new ${step}`;
      if (one.chat.send(text)) typed.push({ one, text });
    } else if (what < 0.6) {
      one.tab.kill();
      tabs.splice(tabs.indexOf(one), 1, load());
    } else if (what < 0.75) {
      relay.crash();
      relay.up = !relay.up;
    } else if (what < 0.8) relay.cut(one.tab, pick() < 0.5);
    await pass(pick() * 2_000);
  }
  relay.up = true;
  const written = (): string[] =>
    [...relay.visitors.values()].flatMap(({ gone, log }) => (gone ? [] : [...log.values()].map(({ text }) => text)));
  await pass(60_000);
  // Without a reload: what was typed in a page that is still there.
  const stuck = typed.filter(({ one, text }) => tabs.includes(one) && !written().includes(text));
  // Whatever a page that is gone left behind belongs to the next one.
  for (const { tab } of tabs) tab.kill();
  load();
  await pass(30_000);
  const texts = written();
  return [
    ...texts.filter((text) => text.startsWith("old")),
    ...stuck.map(({ text }) => `${text} had to be loaded again`),
    ...typed.map(({ text }) => text).filter((text) => texts.filter((one) => one === text).length !== 1),
    ...(browser.storage.get(KEY)?.includes('"forget"') ? ["a deletion that was never done"] : []),
  ];
}

it("comes out right whatever happens around a deletion, in two tabs", async () => {
  for (let seed = 0; seed < 400; seed++) expect(await run(seed), `seed ${seed}`).toEqual([]);
});
