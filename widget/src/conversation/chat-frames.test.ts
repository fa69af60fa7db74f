import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Chat } from "./chat.ts";
import { frameOf, only, replyOf, sentOf, type Wire } from "./script.fixture.ts";
import { firstVisit, visit } from "./visit.fixture.ts";

let { world, browser, tab, chat, online } = firstVisit();
beforeEach(() => {
  ({ world, browser, tab, chat, online } = firstVisit());
});

/** Loads the page once more: the visitor's next tab. */
const load = () => {
  ({ tab, chat, online } = visit(browser));
};

describe("unread", () => {
  it("counts replies after the read mark, and identifies the first", () => {
    const wire = online({ after: 0, head: 3, read: 1 });
    for (const n of [1, 2, 3]) wire.deliver(frameOf(replyOf(n)));
    expect(chat.unread.value).toBe(2);
    expect(chat.firstUnread.value).toBe("reply-2");
  });

  it("is 0 after the replies were seen, and the relay gets one `read` frame", () => {
    const wire = online({ head: 2 });
    wire.deliver(frameOf(replyOf(1)));
    wire.deliver(frameOf(sentOf("mine", 2)));
    chat.markRead();
    chat.markRead();
    expect(chat.unread.value).toBe(0);
    expect(only(wire.sent, "read")).toEqual([{ t: "read", n: 1 }]);
  });

  it("counts the replies after the position up to which everything was seen", () => {
    const wire = online({ head: 3 });
    for (const n of [1, 2, 3]) wire.deliver(frameOf(replyOf(n)));
    chat.markRead(2);
    expect(chat.unread.value).toBe(1);
    chat.markRead(1);
    expect(chat.firstUnread.value).toBe("reply-3");
    expect(only(wire.sent, "read")).toEqual([{ t: "read", n: 2 }]);
  });

  it("does not count a reply again when only its state changes", () => {
    const wire = online({ head: 1 });
    wire.deliver(frameOf(replyOf(1)));
    chat.markRead();
    wire.deliver(frameOf(replyOf(1, { n: 2, reaction: "👍" })));
    expect(chat.unread.value).toBe(0);
    expect(chat.items.value).toMatchObject([{ reaction: "👍" }]);
  });

  it("sends the read mark later if the relay was unreachable, even after a reload", () => {
    const wire = online({ head: 1 });
    wire.deliver(frameOf(replyOf(1)));
    wire.close(1006);
    chat.markRead();
    tab.kill();
    load();
    expect(only(online({ token: undefined, head: 1 }).sent, "read")).toEqual([{ t: "read", n: 1 }]);
    expect(chat.unread.value).toBe(0);
  });

  it("follows the read mark of another device", () => {
    const wire = online({ head: 1 });
    wire.deliver(frameOf(replyOf(1)));
    wire.deliver({ t: "status", read: 1 });
    expect(chat.unread.value).toBe(0);
    chat.markRead();
    expect(only(wire.sent, "read")).toEqual([]);
  });

  it("follows the read mark of another tab, without the relay", () => {
    const other = visit(browser);
    const wire = online({ head: 1 });
    other.chat.start();
    const second = other.script.greet({ token: undefined, head: 1 });
    for (const line of [wire, second]) line.deliver(frameOf(replyOf(1)));
    chat.markRead();
    world.advance(10);
    expect(other.chat.unread.value).toBe(0);
  });
});

describe("waiting for an answer", () => {
  it("begins with the relay's typing frame and ends with the reply", () => {
    const wire = online();
    const id = chat.send("one");
    wire.deliver(frameOf(sentOf(id, 1)));
    expect(chat.working.value).toBeUndefined();
    world.advance(500);
    wire.deliver({ t: "typing", on: true });
    const { since } = chat.working.value ?? {};
    expect(since).toBe(world.now());
    world.advance(10_000);
    wire.deliver({ t: "typing", on: true });
    expect(chat.working.value?.since).toBe(since);
    wire.deliver(frameOf(replyOf(2)));
    expect(chat.working.value).toBeUndefined();
  });

  for (const [what, end] of [
    ["the relay sends typing off", (wire: Wire) => wire.deliver({ t: "typing", on: false })],
    ["the connection is lost", (wire: Wire) => wire.close(1006)],
    ["the visitor writes again", () => chat.send("two")],
  ] as const)
    it(`ends when ${what}`, () => {
      const wire = online();
      wire.deliver({ t: "typing", on: true });
      end(wire);
      expect(chat.working.value).toBeUndefined();
    });
});

describe("events", () => {
  const record = (of: Chat) => {
    const seen: string[] = [];
    of.on("message", ({ text }) => seen.push(`message ${text}`));
    of.on("sent", ({ text }) => seen.push(`sent ${text}`));
    of.on("unread", (count) => seen.push(`unread ${count}`));
    of.on("error", ({ code }) => seen.push(`error ${code}`));
    return seen;
  };

  it("report each reply and each message of the visitor once", () => {
    const seen = record(chat);
    const wire = online();
    const id = chat.send("one");
    wire.deliver(frameOf(sentOf(id, 1)));
    wire.deliver(frameOf(sentOf(id, 1, { n: 2, state: "delivered" })));
    wire.deliver(frameOf(replyOf(3)));
    wire.deliver(frameOf(replyOf(3)));
    expect(seen).toEqual(["sent question 1", "message answer 3", "unread 1"]);
  });

  it("report replies that arrived while the page was closed, but not history", () => {
    const first = online({ after: 0, head: 2 });
    first.deliver(frameOf(replyOf(1)));
    first.deliver(frameOf(replyOf(2)));
    tab.kill();
    load();
    const seen = record(chat);
    const wire = online({ token: undefined, head: 3 });
    for (const n of [1, 2, 3]) wire.deliver(frameOf(replyOf(n)));
    expect(seen.filter((line) => line.startsWith("message"))).toEqual(["message answer 3"]);
  });

  it("continue when a listener throws, and do not reach a removed listener", () => {
    const consoleError = vi.spyOn(console, "error").mockImplementation(() => {});
    const off = chat.on("message", () => {
      throw new Error("the page's own");
    });
    const seen = record(chat);
    const wire = online();
    wire.deliver(frameOf(replyOf(1)));
    expect(seen).toContain("message answer 1");
    expect(consoleError).toHaveBeenCalledOnce();
    off();
    wire.deliver(frameOf(replyOf(2)));
    expect(consoleError).toHaveBeenCalledOnce();
    consoleError.mockRestore();
  });

  it("report errors of the relay", () => {
    const seen = record(chat);
    online().deliver({ t: "error", code: "rate_limited", retryAfter: 1_000 });
    expect(seen).toEqual(["error rate_limited"]);
    expect(chat.notice.value).toEqual({ code: "rate_limited", retryAfter: 1_000 });
  });
});
