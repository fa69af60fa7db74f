// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, type Fixture, own, reply } from "../base/ui.fixture.ts";
import { startAttention } from "./attention.ts";
import { runInOneTab } from "./one-tab.ts";

let on: Fixture;
let hidden: boolean;
let stop: () => void;
/** Names of the requested locks: one for each sound. */
let soundLocks: string[];

beforeEach(async () => {
  on = await createFixture();
  hidden = true;
  soundLocks = [];
  document.title = "Shop";
  vi.spyOn(Document.prototype, "hidden", "get").mockImplementation(() => hidden);
  vi.stubGlobal("navigator", {
    locks: {
      request: async (name: string) => void soundLocks.push(name),
    },
  });
  on.chat.items.value = [own("Hello")];
  on.chat.unread.value = 1;
  stop = startAttention(on.ui, reply("Hi", { id: "first" }));
});
afterEach(() => {
  stop();
  on.stop();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
/** Waits until observers of the title have run. */
const settled = (): Promise<unknown> => new Promise((done) => setTimeout(() => setTimeout(done)));
const setVisible = (now: boolean): void => {
  hidden = !now;
  document.dispatchEvent(new Event("visibilitychange"));
};

describe("the title of a hidden page", () => {
  it("shows the number of unread replies, and is restored exactly", () => {
    expect(document.title).toBe("(1) Shop");
    on.chat.unread.value = 2;
    expect(document.title).toBe("(2) Shop");
    setVisible(true);
    expect(document.title).toBe("Shop");
  });

  it("keeps a new title of the page, with the number before it", () => {
    document.title = "Shop · Sale";
    on.chat.unread.value = 2;
    expect(document.title).toBe("(2) Shop · Sale");
    document.title = "Another";
    setVisible(true);
    expect(document.title).toBe("Another");
  });

  it("adds the number to a title that the page sets meanwhile, without another reply, and restores that title", async () => {
    document.title = "Sold $& out";
    await expect.poll(() => document.title).toBe("(1) Sold $& out");
    // Frameworks replace the title element.
    document.head.replaceChildren(document.createElement("title"));
    document.title = "Next";
    await expect.poll(() => document.title).toBe("(1) Next");
    document.title = `* ${document.title}`;
    setVisible(true);
    expect(document.title).toBe("* Next");
    document.title = "Mine";
    await settled();
    expect(document.title).toBe("Mine");
  });

  it("shows the number if the page has no title", async () => {
    document.title = "";
    await expect.poll(() => document.title).toBe("(1)");
    await settled();
    expect(document.title).toBe("(1)");
    setVisible(true);
    expect(document.title).toBe("");
  });

  it("is not changed any more once all replies are read, and when the widget is removed", () => {
    on.chat.unread.value = 0;
    expect(document.title).toBe("Shop");
    on.chat.unread.value = 1;
    stop();
    expect(document.title).toBe("Shop");
  });
});

describe("the sound", () => {
  it("plays for every reply to a hidden page, each under its own lock", () => {
    on.chat.emit("message", reply("More", { id: "second" }));
    expect(soundLocks).toEqual(["porchlight-first", "porchlight-second"]);
  });

  it("plays in a tab with a user gesture, if the browser reports that", () => {
    soundLocks = [];
    const { locks } = navigator;
    vi.stubGlobal("navigator", { locks, userActivation: { hasBeenActive: false } });
    on.chat.emit("message", reply("x", { id: "untouched" }));
    vi.stubGlobal("navigator", { locks, userActivation: { hasBeenActive: true } });
    on.chat.emit("message", reply("x", { id: "touched" }));
    expect(soundLocks).toEqual(["porchlight-touched"]);
  });

  it("does not play on a visible page, when muted, and before the visitor has written", () => {
    soundLocks = [];
    setVisible(true);
    on.chat.emit("message", reply("x"));
    setVisible(false);
    on.ui.sound.value = false;
    on.chat.emit("message", reply("x"));
    on.ui.sound.value = true;
    on.chat.items.value = [reply("x")];
    on.chat.emit("message", reply("x"));
    expect(soundLocks).toEqual([]);
  });

  it("keeps the other tabs quiet that get the message within a minute, as hidden tabs without a WebSocket do", async () => {
    vi.useFakeTimers();
    try {
      let held = 0;
      const request = async (_name: string, _options: object, got: (lock: object | null) => unknown) => {
        if (held) await got(null);
        else {
          held++;
          await got({});
          held--;
        }
      };
      vi.stubGlobal("navigator", { locks: { request } });
      const run = vi.fn();
      runInOneTab("a", run);
      await vi.advanceTimersByTimeAsync(61_000);
      runInOneTab("a", run);
      expect(run).toHaveBeenCalledOnce();
      await vi.runAllTimersAsync();
      expect(held).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("plays only in the tab that gets the lock, and in no tab without Web Locks", () => {
    const run = vi.fn();
    const request = (lock: object | null) => (_name: string, _options: object, got: (lock: object | null) => unknown) =>
      Promise.resolve(got(lock));
    vi.stubGlobal("navigator", { locks: { request: request(null) } });
    runInOneTab("a", run);
    expect(run).not.toHaveBeenCalled();
    vi.stubGlobal("navigator", { locks: { request: request({}) } });
    runInOneTab("a", run);
    expect(run).toHaveBeenCalledOnce();
    vi.stubGlobal("navigator", {});
    runInOneTab("a", run);
    expect(run).toHaveBeenCalledOnce();
  });
});
