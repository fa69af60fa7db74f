/**
 * Messages written after the visitor deletes a chat and before the relay confirms the deletion. They belong to the next chat.
 */

import { CLOSE_CODE } from "@porchlight/shared/close";
import type { ClientFrame } from "@porchlight/shared/protocol";
import { seededRandom } from "@porchlight/shared/seeded-random";
import { beforeEach, describe, expect, it } from "vitest";
import { type Chat, createChat } from "./chat.ts";
import { createModelRelay, type ModelRelay } from "./relay.fixture.ts";
import { frameOf, only, replyOf, type Wire } from "./script.fixture.ts";
import { KEY, sends, states, type Visit, visit } from "./visit.fixture.ts";
import { type Browser, createBrowser, createWorld, type Tab, type World } from "./world.fixture.ts";

let world: World;
let browser: Browser;

beforeEach(() => {
  world = createWorld();
  browser = createBrowser(world);
});

const OLD = { t: "hello", v: 1, site: "shop", token: "token-1" };
const NEW = { t: "hello", v: 1, site: "shop" };
/** All frames of a connection that sends `forget`: its `hello` must name the old visitor, and nothing else may be sent. */
const ERASING: ClientFrame[] = [OLD as ClientFrame, { t: "forget" }];

const kept = () => JSON.parse(browser.storage.get(KEY) ?? "null");

/** Opens a page whose visitor deletes the chat while offline and then writes these texts. */
async function deleteThenWrite(...texts: string[]): Promise<Visit> {
  const one = visit(browser);
  const wire = one.online({ head: 1 });
  wire.deliver(frameOf(replyOf(1)));
  one.tab.unplug();
  wire.close(1006);
  void one.chat.forget();
  for (const text of texts) one.chat.send(text);
  return one;
}

/** Restores the network: the relay deletes the old visitor, then accepts a new visitor. @returns both connections */
async function completeDeletion({ tab, script }: Visit): Promise<[erasing: Wire, next: Wire]> {
  tab.plug();
  const erasing = script.greet({ token: undefined, head: 1 });
  erasing.deliver(frameOf(replyOf(1)));
  erasing.close(CLOSE_CODE.gone);
  await Promise.resolve();
  return [erasing, script.greet({ token: "token-2" })];
}

/**
 * Opens a page with a stored visitor, who deletes the chat and writes. The relay has confirmed the deletion, and the next chat
 * has begun.
 */
async function startNextChat(): Promise<Visit> {
  const one = visit(browser);
  const wire = one.online({ token: undefined });
  void one.chat.forget();
  one.chat.send("anew");
  wire.close(CLOSE_CODE.gone);
  await Promise.resolve();
  one.script.greet({ token: "token-2" });
  return one;
}

/** Grants the tab the lock for messages of earlier pages, and sends it the newest number of the log. */
function grantLock(wire: Wire): void {
  world.advance(1);
  wire.deliver({ t: "pong", head: 0 });
}

describe("a message written after a deletion", () => {
  it("waits for the next chat, and is sent once the old chat is deleted", async () => {
    const one = await deleteThenWrite("anew", "and more");
    expect(states(one.chat)).toEqual(["anew: queued", "and more: queued"]);
    one.chat.draft.value = "half";
    const [erasing, next] = await completeDeletion(one);
    expect(erasing.sent).toEqual(ERASING);
    expect(next.sent[0]).toEqual(NEW);
    expect(sends(next)).toEqual(["anew"]);
    expect(only(next.sent, "forget")).toEqual([]);
    expect(states(one.chat)).toEqual(["anew: sending", "and more: queued"]);
    expect(one.chat.draft.value).toBe("half");
    expect(kept()).toMatchObject({ token: "token-2" });
    expect(kept().forget).toBeUndefined();
  });

  it("survives a reload before and after the deletion", async () => {
    const first = await deleteThenWrite("anew");
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
    // The page is closed before a new chat has begun.
    second.tab.kill();
    const third = visit(browser);
    const wire = third.online({ token: "token-2" });
    grantLock(wire);
    expect(wire.sent[0]).toEqual(NEW);
    expect(sends(wire)).toEqual(["anew"]);
    expect(third.chat.draft.value).toBe("half");
  });

  it("is not lost when the page crashes between the request and its answer", async () => {
    const first = await deleteThenWrite("anew");
    first.tab.plug();
    first.script.greet({ token: undefined });
    first.tab.kill();
    const second = visit(browser);
    const [erasing, next] = await (async () => {
      second.chat.start();
      // The relay has deleted the visitor and no longer knows the token.
      const gone = second.script.wire;
      gone.open();
      gone.close(CLOSE_CODE.badToken);
      await Promise.resolve();
      return [gone, second.script.greet({ token: "token-2" })] as const;
    })();
    grantLock(next);
    expect(erasing.sent).toEqual([OLD]);
    expect(next.sent[0]).toEqual(NEW);
    expect(sends(next)).toEqual(["anew"]);
  });

  it("remains as a draft after the deletion if it was not sent", async () => {
    const one = await deleteThenWrite();
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

  it("is sent by the tab in which it was written, also when another tab completes the deletion", async () => {
    const one = await deleteThenWrite("in the first");
    const other = visit(browser);
    other.tab.unplug();
    other.chat.start();
    other.chat.send("in the second");
    // Only the second tab has a network.
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

  it("is not deleted by a tab that learns late that the old chat was deleted", async () => {
    const late = visit(browser);
    const line = late.online();
    const one = await startNextChat();
    line.close(CLOSE_CODE.gone);
    expect(kept()).toMatchObject({ token: "token-2", unsent: [{ text: "anew" }] });
    world.advance(10);
    expect(late.chat.ending.value).toBe("gone");
    expect(states(one.chat)).toEqual(["anew: sending"]);
  });

  it("is not mixed with old ones: a frozen tab drops the unsent messages of the old chat", async () => {
    const slept = visit(browser);
    slept.online().close(1006);
    slept.chat.send("of the old one");
    slept.tab.emit("pagehide");
    await startNextChat();
    slept.tab.emit("pageshow");
    const next = slept.script.greet({ token: undefined });
    expect(next.sent[0]).toEqual({ ...NEW, token: "token-2" });
    expect(sends(next)).not.toContain("of the old one");
    expect(JSON.stringify(kept())).not.toContain("of the old one");
  });

  it("is not mixed with old ones by a running tab whose storage events are late", async () => {
    browser = createBrowser(world, 5_000);
    const late = visit(browser);
    late.online().close(1006);
    late.tab.unplug();
    late.chat.send("of the old one");
    await startNextChat();
    world.advance(6_000);
    expect(JSON.stringify(kept())).not.toContain("of the old one");
  });

  it("is not needed for a new chat: one that was started during the deletion begins automatically", async () => {
    const one = await deleteThenWrite();
    one.chat.start();
    const [, next] = await completeDeletion(one);
    expect(next.sent).toEqual([NEW]);
    expect(one.chat.link.value).toBe("online");
  });

  it("can be deleted as well, and the deletion of the old chat is still completed", async () => {
    const one = await deleteThenWrite("anew");
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
  it("survives a logout in this tab and in another one, which drop all written messages", async () => {
    const one = await deleteThenWrite("anew");
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

  it("never deletes the visitor whom the page identifies meanwhile", async () => {
    const one = await deleteThenWrite("anew");
    one.chat.identify("jwt");
    const [erasing, next] = await completeDeletion(one);
    expect(erasing.sent).toEqual(ERASING);
    expect(next.sent[0]).toEqual({ ...NEW, identity: "jwt" });
  });

  it("is not requested over a connection whose hello named another visitor", () => {
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

  it("is complete for a tab that sends hello before it learns that another tab has completed it", async () => {
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

  it("keeps the forms of the old chat and of the next chat apart", async () => {
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

type Open = { tab: Tab; chat: Chat };
/** The state of one run. */
type Run = {
  world: World;
  /** Random numbers from 0 to 1. */
  pick: () => number;
  browser: Browser;
  relay: ModelRelay;
  tabs: Open[];
  /** Texts written after the deletion, each with its page. */
  typed: { one: Open; text: string }[];
};

/** Opens a page of the site. */
function load({ browser, relay }: Pick<Run, "browser" | "relay">): Open {
  const tab = browser.tab();
  const ports = { page: tab.page, storage: tab.storage, connect: relay.dial(tab) };
  const chat = createChat({ site: "shop", relay: "https://relay.test", ...ports });
  chat.start();
  return { tab, chat };
}

/** Advances in small steps, so that pending promises settle between them. */
async function pass({ world }: Run, ms: number): Promise<void> {
  for (let step = 0; step < 20; step++) {
    world.advance(ms / 20);
    await Promise.resolve();
  }
}

const anyTab = ({ pick, tabs }: Run): Open => tabs[Math.floor(pick() * tabs.length)] as Open;

/** A random event: a visitor writes, a page is reloaded, or the relay or a connection fails. */
function act(run: Run, step: number): void {
  const { pick, relay, tabs } = run;
  const one = anyTab(run);
  const what = pick();
  if (what < 0.4) {
    one.chat.start();
    const text = `new ${step}`;
    if (one.chat.send(text)) run.typed.push({ one, text });
  } else if (what < 0.6) {
    one.tab.kill();
    tabs.splice(tabs.indexOf(one), 1, load(run));
  } else if (what < 0.75) {
    relay.crash();
    relay.up = !relay.up;
  } else if (what < 0.8) relay.cut(one.tab, pick() < 0.5);
}

/** Texts of the visitors that were not deleted. */
const stored = ({ relay }: Run): string[] =>
  [...relay.visitors.values()].flatMap(({ gone, log }) => (gone ? [] : [...log.values()].map(({ text }) => text)));

/** One run: a deletion, with random events of page, network and relay. @returns all violations at the end */
async function runDeletion(seed: number): Promise<string[]> {
  const world = createWorld(seed);
  const pick = seededRandom(seed ^ 0xde1e7e);
  const browser = createBrowser(world, 1 + pick() * 500);
  const relay = createModelRelay(world);
  const tabs = [load({ browser, relay }), load({ browser, relay })];
  const run: Run = { world, pick, browser, relay, tabs, typed: [] };
  tabs[0]?.chat.send("old, written");
  await pass(run, 2_000);
  if (pick() < 0.7) {
    relay.up = false;
    relay.crash();
  }
  if (pick() < 0.5) anyTab(run).chat.send("old, on its way");
  void tabs[0]?.chat.forget();
  // Until the other tab learns of the deletion, its messages belong to the old chat.
  await pass(run, 500);
  for (let step = 0; step < 12; step++) {
    act(run, step);
    await pass(run, pick() * 2_000);
  }
  relay.up = true;
  await pass(run, 60_000);
  return violations(run);
}

/** Lets the next page send what closed pages left, then finds all violations. */
async function violations(run: Run): Promise<string[]> {
  const { browser, tabs, typed } = run;
  // Messages typed in a page that is still open need no reload.
  const stuck = typed.filter(({ one, text }) => tabs.includes(one) && !stored(run).includes(text));
  for (const { tab } of tabs) tab.kill();
  load(run);
  await pass(run, 30_000);
  const texts = stored(run);
  return [
    ...texts.filter((text) => text.startsWith("old")),
    ...stuck.map(({ text }) => `${text} was sent only after a reload`),
    ...typed.map(({ text }) => text).filter((text) => texts.filter((one) => one === text).length !== 1),
    ...(browser.storage.get(KEY)?.includes('"forget"') ? ["a deletion that was never completed"] : []),
  ];
}

it("a deletion in two tabs gives the right result under random events", async () => {
  for (let seed = 0; seed < 400; seed++) expect(await runDeletion(seed), `seed ${seed}`).toEqual([]);
});
