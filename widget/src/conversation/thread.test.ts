import { beforeEach, describe, expect, it } from "vitest";
import { replyOf, sentOf } from "./script.fixture.ts";
import { createThread, type Thread } from "./thread.ts";

let thread: Thread;

beforeEach(() => {
  thread = createThread();
});

const ids = () => thread.items().map(({ id }) => id);

describe("the thread", () => {
  it("sorts by position, in any order of arrival", () => {
    thread.take({ t: "message", after: 0, message: replyOf(2) });
    thread.take({ t: "message", after: 2, message: sentOf("first", 1, { n: 3, state: "delivered" }) });
    expect(ids()).toEqual(["first", "reply-2"]);
    expect(thread.held).toBe(3);
  });

  it("ignores a frame that leaves a gap", () => {
    thread.take({ t: "message", after: 0, message: replyOf(1) });
    expect(thread.take({ t: "message", after: 2, message: replyOf(3) })).toBe("gap");
    expect(ids()).toEqual(["reply-1"]);
    expect(thread.held).toBe(1);
  });

  it("accepts a frame that spans numbers whose messages have changed since", () => {
    expect(thread.take({ t: "message", after: 0, message: replyOf(7) })).toBe("new");
    expect(thread.held).toBe(7);
  });

  it("recognises a duplicate, and keeps the newer state", () => {
    thread.take({ t: "message", after: 0, message: sentOf("a", 1) });
    thread.take({ t: "message", after: 1, message: sentOf("a", 1, { n: 2, state: "delivered" }) });
    expect(thread.take({ t: "message", after: 0, message: sentOf("a", 1) })).toBe("known");
    expect(thread.get("a")).toMatchObject({ state: "delivered", n: 2 });
  });

  it("drops the reason of a failure when the state changes", () => {
    thread.take({ t: "message", after: 0, message: sentOf("a", 1, { state: "failed", reason: "expired" }) });
    thread.take({ t: "message", after: 1, message: sentOf("a", 1, { n: 2 }) });
    expect(thread.get("a")).not.toHaveProperty("reason");
  });

  it("shows a changed old message only when its page of history has loaded", () => {
    thread.reset(100, true);
    thread.take({ t: "message", after: 100, message: replyOf(101) });
    thread.take({ t: "message", after: 101, message: sentOf("old", 3, { n: 102, state: "delivered" }) });
    expect(ids()).toEqual(["reply-101"]);
    thread.history({ t: "history", before: 101, messages: [replyOf(60), replyOf(80)], older: true });
    expect(ids()).toEqual(["reply-60", "reply-80", "reply-101"]);
    thread.history({ t: "history", before: 60, messages: [sentOf("old", 3), replyOf(4)], older: false });
    expect(ids()).toEqual(["old", "reply-4", "reply-60", "reply-80", "reply-101"]);
    expect(thread.get("old")).toMatchObject({ state: "delivered" });
    expect(thread.older).toBe(false);
  });

  it("takes no file, author or reaction from a polluted Object.prototype (A29)", () => {
    const polluted = { media: { url: "https://evil.example/a.pdf" }, author: { name: "Bank", end: 2 }, reaction: "👎" };
    Object.assign(Object.prototype, polluted);
    try {
      thread.take({ t: "message", after: 0, message: replyOf(1) });
      thread.history({ t: "history", before: 0, messages: [sentOf("a", 2)], older: false });
      for (const { id, media, author, reaction } of thread.items())
        expect([id, media, author, reaction]).toEqual([id, undefined, undefined, undefined]);
    } finally {
      for (const name of Object.keys(polluted)) delete (Object.prototype as Record<string, unknown>)[name];
    }
    expect(ids()).toHaveLength(2);
  });

  it("ignores a page of history that was requested before a reset", () => {
    thread.reset(100, true);
    thread.history({ t: "history", before: 40, messages: [replyOf(39)], older: true });
    expect(ids()).toEqual([]);
    expect(thread.floor).toBe(101);
  });

  it("is empty after a reset", () => {
    thread.take({ t: "message", after: 0, message: replyOf(1) });
    thread.reset(5, false);
    expect(ids()).toEqual([]);
    expect(thread.held).toBe(5);
  });
});
