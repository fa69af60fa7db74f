import { CLOSE_CODE } from "@porchlight/shared/close";
import type { Media } from "@porchlight/shared/protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { createChat } from "./chat.ts";
import { frameOf, only, replyOf, sentOf, type Wire } from "./script.fixture.ts";
import { firstVisit, KEY, sends, states, visit } from "./visit.fixture.ts";

let { world, browser, tab, script, chat, online } = firstVisit();
beforeEach(() => {
  ({ world, browser, tab, script, chat, online } = firstVisit());
});

/** Loads the page once more: the visitor's next tab. */
const load = () => {
  ({ tab, script, chat, online } = visit(browser));
};

const idOf = (text: string) => chat.items.value.find((item) => item.text === text)?.id ?? "";

describe("sending", () => {
  it("shows a message immediately, and stores it before it is sent", () => {
    chat.start();
    const id = chat.send("hello");
    expect(states(chat)).toEqual(["hello: queued"]);
    expect(browser.storage.get(KEY)).toContain(id);
    expect(sends(script.greet())).toEqual(["hello"]);
    expect(states(chat)).toEqual(["hello: sending"]);
  });

  it("sends one message at a time, and the next when the relay has stored it", () => {
    const wire = online();
    for (const text of ["one", "two", "three"]) chat.send(text);
    expect(sends(wire)).toEqual(["one"]);
    wire.deliver(frameOf(sentOf(idOf("one"), 1, { text: "one" })));
    expect(sends(wire)).toEqual(["one", "two"]);
    expect(states(chat)).toEqual(["one: sent", "two: sending", "three: queued"]);
    expect(browser.storage.get(KEY)).not.toContain(idOf("one"));
  });

  it("sends nothing while the thread is not up to date", () => {
    const wire = online({ head: 1 });
    chat.send("hello");
    expect(sends(wire)).toEqual([]);
    wire.deliver(frameOf(replyOf(1)));
    expect(sends(wire)).toEqual(["hello"]);
  });

  it("repeats a message with the same id after a lost connection, unless the thread already contains it", () => {
    const wire = online();
    const one = chat.send("one");
    const two = chat.send("two");
    wire.close(1006);
    expect(states(chat)).toEqual(["one: queued", "two: queued"]);
    world.advance(1_000);
    const next = script.greet({ reset: false, token: undefined, head: 1 });
    next.deliver(frameOf(sentOf(one, 1, { text: "one" })));
    expect(only(next.sent, "send")).toEqual([{ t: "send", id: two, text: "two", age: 1_000 }]);
  });

  it("repeats on the same connection when no answer comes for 10 s", () => {
    const wire = online();
    chat.send("one");
    world.advance(10_000);
    expect(only(wire.sent, "send").map(({ id }) => id)).toEqual([idOf("one"), idOf("one")]);
  });

  it("shows the states delivered and failed of a sent message", () => {
    const wire = online();
    const id = chat.send("one");
    wire.deliver(frameOf(sentOf(id, 1)));
    wire.deliver(frameOf(sentOf(id, 1, { n: 2, state: "delivered" })));
    expect(chat.items.value).toMatchObject([{ id, state: "delivered", pos: 1, n: 2 }]);
    wire.deliver(frameOf(sentOf(id, 1, { n: 3, state: "failed", reason: "expired" })));
    expect(chat.items.value).toMatchObject([{ id, state: "failed", reason: "expired" }]);
  });

  it("does not send a blank text, except with a file", () => {
    const wire = online();
    expect(chat.send(" \u200b\n")).toBe("");
    const media: Media = { url: "/media/cat.png", type: "image/png", name: "cat.png", size: 7 };
    chat.send("", { key: "upload-1", media });
    expect(only(wire.sent, "send")).toMatchObject([{ text: "", media: "upload-1" }]);
    expect(chat.items.value).toMatchObject([{ text: "", media }]);
  });

  it("sends the page on which a message was typed, cut to the relay's limit, also after a reload", () => {
    const context = () => ({ page: `/${"x".repeat(600)}`, locale: "nb", campaign: "" });
    const options = { page: tab.page, storage: tab.storage, connect: script.connect, context };
    const chat = createChat({ site: "shop", relay: "https://relay.test", ...options });
    chat.start();
    const id = chat.send("hello");
    tab.kill();
    load();
    const wire = online();
    world.advance(1);
    wire.deliver({ t: "pong", head: 0 });
    const page = `/${"x".repeat(511)}`;
    expect(only(wire.sent, "send")).toEqual([{ t: "send", id, text: "hello", age: 1, page, locale: "nb" }]);
  });

  it("keeps 50 messages, and reports that there is no room for more", () => {
    chat.start();
    for (let n = 0; n < 50; n++) expect(chat.send(`m${n}`)).not.toBe("");
    expect(chat.send("m50")).toBe("");
    expect(chat.notice.value).toEqual({ code: "rate_limited" });
    expect(chat.items.value).toHaveLength(50);
  });
});

describe("when the relay does not accept a message", () => {
  for (const code of ["rate_limited", "try_later"] as const)
    it(`waits for the time stated with ${code}, and keeps the order`, () => {
      const wire = online();
      const id = chat.send("one");
      chat.send("two");
      wire.deliver({ t: "error", code, id, retryAfter: 4_000 });
      expect(states(chat)).toEqual(["one: queued", "two: queued"]);
      expect(chat.notice.value).toEqual({ code, retryAfter: 4_000 });
      world.advance(3_999);
      expect(sends(wire)).toEqual(["one"]);
      world.advance(1_001);
      expect(sends(wire)).toEqual(["one", "one"]);
      wire.deliver(frameOf(sentOf(id, 1)));
      expect(chat.notice.value).toBeUndefined();
      expect(sends(wire)).toEqual(["one", "one", "two"]);
    });

  for (const code of ["too_long", "empty", "unknown_media", "not_allowed"] as const)
    it(`shows ${code} on the message, and sends the next one`, () => {
      const wire = online();
      const id = chat.send("one");
      chat.send("two");
      wire.deliver({ t: "error", code, id });
      expect(chat.items.value[0]).toMatchObject({ text: "one", state: "failed", reason: code });
      expect(sends(wire)).toEqual(["one", "two"]);
      expect(browser.storage.get(KEY)).toContain(code);
    });

  it("marks the message in flight as failed after a bad frame, or a close code that a bad frame causes", () => {
    const wire = online();
    chat.send("one");
    wire.deliver({ t: "error", code: "bad_frame" });
    expect(chat.items.value[0]).toMatchObject({ state: "failed", reason: "bad_frame" });
    chat.send("two");
    wire.close(CLOSE_CODE.protocol);
    world.advance(1_000);
    script.greet({ reset: false, token: undefined });
    chat.send("three");
    script.wire.close(CLOSE_CODE.tooBig);
    expect(chat.items.value.map(({ reason }) => reason)).toEqual(["bad_frame", "bad_frame", "too_long"]);
  });

  it("never sends a text that is too long", () => {
    const wire = online();
    chat.send("x".repeat(4_001));
    expect(chat.items.value).toMatchObject([{ state: "failed", reason: "too_long" }]);
    chat.retry(chat.items.value[0]?.id ?? "");
    expect(chat.items.value).toMatchObject([{ state: "failed", reason: "too_long" }]);
    expect(sends(wire)).toEqual([]);
  });

  it("retries with the same id, at the end of the queue", () => {
    const wire = online();
    const id = chat.send("one");
    wire.deliver({ t: "error", code: "not_allowed", id });
    chat.send("two");
    chat.retry(id);
    expect(states(chat)).toEqual(["two: sending", "one: queued"]);
    wire.deliver(frameOf(sentOf(idOf("two"), 1)));
    expect(only(wire.sent, "send").map((frame) => frame.id)).toEqual([id, idOf("question 1"), id]);
  });

  it("deletes a failed message, in the tab and in the storage", () => {
    const wire = online();
    const id = chat.send("one");
    wire.deliver({ t: "error", code: "not_allowed", id });
    chat.remove(id);
    expect(chat.items.value).toEqual([]);
    expect(browser.storage.get(KEY)).not.toContain(id);
  });

  it("asks the relay to retry a message that failed there, also when the visitor pressed Retry while offline", () => {
    const wire = online();
    const id = chat.send("one");
    wire.deliver(frameOf(sentOf(id, 1)));
    wire.deliver(frameOf(sentOf(id, 1, { n: 2, state: "failed", reason: "rejected" })));
    wire.close(1006);
    chat.retry(id);
    chat.retry(id);
    expect(states(chat)).toEqual(["question 1: queued"]);
    world.advance(1_000);
    const next = script.greet({ reset: false, token: undefined, after: 2, head: 2 });
    expect(next.sent.slice(1)).toEqual([{ t: "retry", id }]);
    next.deliver(frameOf(sentOf(id, 1, { n: 3 })));
    expect(states(chat)).toEqual(["question 1: sent"]);
    chat.retry("unknown");
    expect(next.sent.slice(1)).toEqual([{ t: "retry", id }]);
  });

  it("keeps the message failed when the relay cannot retry it", () => {
    const wire = online();
    const id = chat.send("one");
    wire.deliver(frameOf(sentOf(id, 1, { state: "failed", reason: "rejected" })));
    chat.retry(id);
    wire.deliver({ t: "error", code: "unknown_message", id });
    expect(chat.items.value).toMatchObject([{ state: "failed", reason: "rejected" }]);
  });
});

describe("after a reload", () => {
  const reload = () => {
    tab.kill();
    load();
  };
  /** Grants the tab the lock, and sends it the newest number of the log. */
  const allow = (wire: Wire, head = 0) => {
    world.advance(1);
    wire.deliver({ t: "pong", head });
  };

  it("sends messages younger than two minutes, once, and says how old they are", () => {
    online().close(1006);
    const id = chat.send("one");
    world.advance(119_000);
    reload();
    const wire = online();
    allow(wire);
    expect(only(wire.sent, "send")).toEqual([{ t: "send", id, text: "one", age: 119_001 }]);
    wire.deliver(frameOf(sentOf(id, 1)));
    expect(states(chat)).toEqual(["question 1: sent"]);
  });

  it("sends a message again that was in flight and not stored, under the same id", () => {
    const wire = online();
    const id = chat.send("one");
    expect(sends(wire)).toEqual(["one"]);
    reload();
    const next = online();
    allow(next);
    expect(only(next.sent, "send")).toEqual([{ t: "send", id, text: "one", age: 1 }]);
  });

  it("shows older messages, and those typed after them, as not sent, and sends them on Retry", () => {
    chat.start();
    chat.send("old");
    world.advance(115_000);
    chat.send("new");
    world.advance(6_000);
    reload();
    const wire = online();
    world.advance(30_000);
    expect(sends(wire)).toEqual([]);
    expect(chat.items.value).toMatchObject([
      { text: "old", state: "failed", reason: "stale" },
      { text: "new", state: "failed", reason: "stale" },
    ]);
    chat.retry(idOf("old"));
    expect(sends(wire)).toEqual(["old"]);
  });

  it("drops messages older than a day", () => {
    chat.start();
    chat.send("old");
    world.advance(86_400_001);
    reload();
    chat.start();
    expect(chat.items.value).toEqual([]);
    expect(browser.storage.get(KEY)).not.toContain("old");
  });

  it("lets only one of several tabs send the remaining messages", () => {
    chat.start();
    chat.send("one");
    reload();
    const other = visit(browser);
    other.chat.start();
    const wires = [online(), other.script.greet({ token: undefined })];
    for (const wire of wires) allow(wire);
    expect(wires.flatMap(sends)).toEqual(["one"]);
  });

  it("sends nothing that the previous tab has sent, even if it learns of that after it got the lock", () => {
    chat.start();
    const ids = ["one", "two"].map((text) => chat.send(text));
    reload();
    const other = visit(browser);
    other.chat.start();
    const [first, second] = [online(), other.script.greet({ token: undefined })];
    allow(first);
    const written = ids.map((id, n) => frameOf(sentOf(id, n + 1)));
    for (const frame of written) first.deliver(frame);
    expect(sends(first)).toEqual(["one", "two"]);
    world.advance(1);
    expect(only(second.sent, "ping")).toHaveLength(1);
    for (const frame of written.slice(0, 1)) second.deliver(frame);
    second.deliver({ t: "pong", head: 2 });
    for (const frame of written.slice(1)) second.deliver(frame);
    world.advance(30_000);
    expect(sends(second)).toEqual([]);
  });

  it("lets the next tab send them when the first tab is closed", () => {
    chat.start();
    chat.send("one");
    reload();
    const other = visit(browser);
    other.chat.start();
    online();
    const wire = other.script.greet({ token: undefined });
    world.advance(100);
    tab.kill();
    allow(wire);
    expect(sends(wire)).toEqual(["one"]);
  });

  it("still has the draft", () => {
    online();
    chat.draft.value = "Do you shi";
    world.advance(1_000);
    chat.draft.value = "Do you ship";
    tab.emit("pagehide");
    reload();
    chat.start();
    expect(chat.draft.value).toBe("Do you ship");
  });

  it("drops a draft that another tab has sent, unless the visitor continued it here", () => {
    online();
    chat.draft.value = "Do you ship to Nor";
    world.advance(1_000);
    const others = [visit(browser), visit(browser)];
    for (const other of others) other.chat.start();
    expect(others.map((other) => other.chat.draft.value)).toEqual(["Do you ship to Nor", "Do you ship to Nor"]);
    chat.draft.value = "";
    world.advance(1_000);
    for (const other of others) {
      const next = visit(browser);
      other.tab.emit("pagehide");
      next.chat.start();
      expect(next.chat.draft.value).toBe("");
      next.tab.kill();
    }
    const [one] = others;
    if (one) one.chat.draft.value = "Do you ship to Oslo";
    one?.tab.emit("pagehide");
    const next = visit(browser);
    next.chat.start();
    expect(next.chat.draft.value).toBe("Do you ship to Oslo");
  });

  it("drops a message in every tab when it is deleted in one", () => {
    chat.start();
    chat.send("old");
    world.advance(121_000);
    tab.kill();
    load();
    const other = visit(browser);
    online();
    other.chat.start();
    expect(states(other.chat)).toEqual(["old: failed"]);
    chat.remove(idOf("old"));
    world.advance(10);
    expect(other.chat.items.value).toEqual([]);
  });

  it("stores a message again that another tab overwrote at the same moment", () => {
    chat.start();
    const id = chat.send("one");
    const other = visit(browser);
    other.tab.storage().setItem(KEY, JSON.stringify({ draft: "written by a tab that had not seen it" }));
    world.advance(10);
    expect(browser.storage.get(KEY)).toContain(id);
  });
});
