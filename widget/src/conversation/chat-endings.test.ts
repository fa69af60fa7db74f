import { CLOSE_CODE } from "@porchlight/shared/close";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createChat } from "./chat.ts";
import { createModelRelay, type ModelRelay } from "./relay.fixture.ts";
import { frameOf, only, replyOf } from "./script.fixture.ts";
import { firstVisit, KEY, visit } from "./visit.fixture.ts";

let { world, browser, tab, script, chat, online } = firstVisit();
beforeEach(() => {
  ({ world, browser, tab, script, chat, online } = firstVisit());
});

/** Loads the page once more: the visitor's next tab. */
const load = () => {
  ({ tab, script, chat, online } = visit(browser));
};

/** Exchanges one question and one answer. */
function talk(relay: ModelRelay): void {
  chat = createChat({
    site: "shop",
    relay: "https://relay.test",
    page: tab.page,
    storage: tab.storage,
    connect: relay.dial(tab),
  });
  chat.start();
  chat.send("hello");
  world.advance(1_000);
  for (const visitor of relay.visitors.values()) relay.reply(visitor);
  world.advance(1_000);
  expect(chat.items.value.map(({ text }) => text)).toEqual(["hello", "answer 2"]);
}

describe("deleting the chat", () => {
  it("empties the tab immediately, asks the relay, and is complete when the relay closes the connection", async () => {
    const wire = online({ head: 1 });
    wire.deliver(frameOf(replyOf(1)));
    chat.send("never sent on");
    chat.draft.value = "hm";
    const done = chat.forget();
    expect(chat.items.value).toEqual([]);
    expect(wire.sent.at(-1)).toEqual({ t: "forget" });
    wire.deliver(frameOf(replyOf(2)));
    expect(chat.items.value).toEqual([]);
    wire.close(CLOSE_CODE.gone);
    await done;
    expect(chat.ending.value).toBe("gone");
    world.advance(10_000);
    expect(browser.storage.size).toBe(0);
    expect(world.pending()).toBe(0);
    expect(tab.listening()).toBe(0);
  });

  it("is requested again until the relay confirms it, also after a reload", () => {
    online().close(1006);
    void chat.forget();
    tab.kill();
    load();
    const wire = online({ token: undefined, head: 1 });
    wire.deliver(frameOf(replyOf(1)));
    expect(chat.items.value).toEqual([]);
    expect(wire.sent.map(({ t }) => t)).toEqual(["hello", "forget"]);
    wire.close(CLOSE_CODE.gone);
    expect(browser.storage.size).toBe(0);
  });

  it("is complete when the relay no longer knows the token", async () => {
    online().close(1006);
    const done = chat.forget();
    world.advance(1_000);
    script.wire.open();
    script.wire.close(CLOSE_CODE.badToken);
    await done;
    expect(chat.ending.value).toBe("gone");
    expect(browser.storage.size).toBe(0);
  });

  it("needs no relay where there is nothing to delete", async () => {
    await chat.forget();
    expect(script.wires).toHaveLength(0);
    expect(chat.ending.value).toBe("gone");
  });

  it("empties every other tab, but only the tab that asked sends the request", () => {
    const other = visit(browser);
    online();
    other.chat.start();
    other.script.greet({ token: undefined, head: 1 }).deliver(frameOf(replyOf(1)));
    void chat.forget();
    world.advance(10);
    expect(other.chat.items.value).toEqual([]);
    expect(other.chat.ending.value).toBe("gone");
    expect(browser.storage.get(KEY)).toContain("token-1");
  });

  it("leads to a new visitor when the chat is started again", async () => {
    const wire = online();
    const done = chat.forget();
    wire.close(CLOSE_CODE.gone);
    await done;
    const next = online({ token: "token-2" });
    expect(next.sent[0]).toEqual({ t: "hello", v: 1, site: "shop" });
    chat.send("anew");
    expect(only(next.sent, "send")).toHaveLength(1);
  });
});

describe("logging out", () => {
  it("removes all data of the visitor, in every tab", () => {
    const other = visit(browser);
    const wire = online();
    wire.deliver(frameOf(replyOf(1)));
    other.chat.start();
    other.script.greet({ token: undefined });
    other.chat.draft.value = "secret";
    other.script.wire.close(1006);
    other.chat.send("secret");
    const sent = wire.sent.length;
    chat.logout();
    expect(wire.sent.slice(sent)).toEqual([{ t: "logout" }]);
    world.advance(60_000);
    for (const one of [chat, other.chat]) {
      expect(one.items.value).toEqual([]);
      expect(one.draft.value).toBe("");
      expect(one.ending.value).toBe("normal");
    }
    expect(browser.storage.size).toBe(0);
    expect(world.pending()).toBe(0);
  });

  it("drops an identity that was not sent to the relay yet", () => {
    online();
    script.wire.close(1006);
    chat.identify("jwt");
    chat.logout();
    chat.start();
    script.wire.open();
    expect(script.wire.sent[0]).toEqual({ t: "hello", v: 1, site: "shop" });
  });

  it("keeps the connection when there is no visitor and no message, before and after it is opened", () => {
    chat.logout();
    chat.start();
    chat.logout();
    script.wire.open();
    chat.logout();
    expect([chat.link.value, chat.ending.value]).toEqual(["connecting", undefined]);
    expect(browser.storage.size).toBe(0);
    script.greet({ token: "token-1" });
    chat.send("the first");
    expect(only(script.wire.sent, "send")).toHaveLength(1);
    expect(script.wires).toHaveLength(1);
  });

  it("closes a connection that has sent an identity, before the relay has answered", () => {
    chat.identify("jwt");
    chat.start();
    script.wire.open();
    chat.logout();
    expect(chat.ending.value).toBe("normal");
    expect(script.wire.closed).toBe(true);
  });

  it("drops messages that were written before there was a visitor", () => {
    chat.start();
    chat.send("from the tunnel");
    chat.logout();
    expect([chat.items.value, chat.ending.value]).toEqual([[], "normal"]);
    expect(browser.storage.size).toBe(0);
  });

  it("does not create a new visitor in a tab whose session the relay ends first", () => {
    const other = visit(browser);
    online();
    other.chat.start();
    const wire = other.script.greet({ token: undefined });
    chat.logout();
    wire.close(CLOSE_CODE.badToken);
    world.advance(60_000);
    expect(other.chat.ending.value).toBe("normal");
    expect(other.script.wires).toHaveLength(1);
    expect(browser.storage.size).toBe(0);
  });

  it("is noticed by the other tabs although a new visitor begins immediately", () => {
    const other = visit(browser);
    online();
    other.chat.start();
    other.script.greet({ token: undefined });
    chat.logout();
    online({ token: "token-2" });
    world.advance(10);
    expect(other.chat.ending.value).toBe("normal");
    expect(browser.storage.get(KEY)).toContain("token-2");
  });

  it("is noticed by a tab that received no event about it", () => {
    online({ head: 1 }).deliver(frameOf(replyOf(1)));
    tab.emit("pagehide");
    chat.send("of the one who left");
    browser.storage.clear();
    tab.emit("pageshow");
    script.wire.open();
    expect(script.wire.sent[0]).toEqual({ t: "hello", v: 1, site: "shop" });
    expect(chat.items.value).toEqual([]);
  });
});

describe("where storage is blocked", () => {
  it("keeps a whole conversation in memory, without console messages", () => {
    const consoleError = vi.spyOn(console, "error");
    browser.blocked = true;
    const relay = createModelRelay(world);
    talk(relay);
    expect(consoleError).not.toHaveBeenCalled();
  });
});

describe("a whole conversation", () => {
  it("works across an offline phase, a reload and the back/forward cache", () => {
    const relay = createModelRelay(world);
    talk(relay);
    tab.unplug();
    relay.cut(tab, false);
    chat.send("from the tunnel");
    world.advance(5_000);
    expect(chat.link.value).toBe("offline");
    tab.plug();
    world.advance(2_000);
    tab.emit("pagehide");
    for (const visitor of relay.visitors.values()) relay.reply(visitor);
    world.advance(60_000);
    tab.emit("pageshow");
    world.advance(2_000);
    expect(chat.items.value.map(({ text }) => text)).toEqual(["hello", "answer 2", "from the tunnel", "answer 4"]);
  });
});
