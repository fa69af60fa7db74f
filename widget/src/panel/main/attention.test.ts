// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { own, reply, type Stage, stage } from "../base/ui.fixture.ts";
import { startAttention } from "./attention.ts";
import { once } from "./one-tab.ts";

let on: Stage;
let hidden: boolean;
let stop: () => void;
/** Names of the locks that were asked for: one for each sound. */
let rung: string[];

beforeEach(async () => {
  on = await stage();
  hidden = true;
  rung = [];
  document.title = "Shop";
  vi.spyOn(Document.prototype, "hidden", "get").mockImplementation(() => hidden);
  vi.stubGlobal("navigator", {
    locks: {
      request: async (name: string) => void rung.push(name),
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
/** Lets whoever watches the title have its say. */
const settled = (): Promise<unknown> => new Promise((done) => setTimeout(() => setTimeout(done)));
const look = (now: boolean): void => {
  hidden = !now;
  document.dispatchEvent(new Event("visibilitychange"));
};

describe("the title of a hidden page", () => {
  it("counts what is unread, and is restored exactly", () => {
    expect(document.title).toBe("(1) Shop");
    on.chat.unread.value = 2;
    expect(document.title).toBe("(2) Shop");
    look(true);
    expect(document.title).toBe("Shop");
  });

  it("counts before the page's new title, and never takes that back", () => {
    document.title = "Shop · Sale";
    on.chat.unread.value = 2;
    expect(document.title).toBe("(2) Shop · Sale");
    document.title = "Another";
    look(true);
    expect(document.title).toBe("Another");
  });

  it("counts before a title that the page sets meanwhile, without another reply, and gives that back", async () => {
    document.title = "Sold $& out";
    await expect.poll(() => document.title).toBe("(1) Sold $& out");
    // Another element, as frameworks do it.
    document.head.replaceChildren(document.createElement("title"));
    document.title = "Next";
    await expect.poll(() => document.title).toBe("(1) Next");
    document.title = `* ${document.title}`;
    look(true);
    expect(document.title).toBe("* Next");
    document.title = "Mine";
    await settled();
    expect(document.title).toBe("Mine");
  });

  it("counts where the page has no title", async () => {
    document.title = "";
    await expect.poll(() => document.title).toBe("(1)");
    await settled();
    expect(document.title).toBe("(1)");
    look(true);
    expect(document.title).toBe("");
  });

  it("is left alone once all is read, and when the widget goes", () => {
    on.chat.unread.value = 0;
    expect(document.title).toBe("Shop");
    on.chat.unread.value = 1;
    stop();
    expect(document.title).toBe("Shop");
  });
});

describe("the sound", () => {
  it("comes for every reply to a hidden page, under a lock of its own", () => {
    on.chat.tell("message", reply("More", { id: "second" }));
    expect(rung).toEqual(["porchlight-first", "porchlight-second"]);
  });

  it("comes from a tab that the visitor has touched, where browsers know", () => {
    rung = [];
    const { locks } = navigator;
    vi.stubGlobal("navigator", { locks, userActivation: { hasBeenActive: false } });
    on.chat.tell("message", reply("x", { id: "untouched" }));
    vi.stubGlobal("navigator", { locks, userActivation: { hasBeenActive: true } });
    on.chat.tell("message", reply("x", { id: "touched" }));
    expect(rung).toEqual(["porchlight-touched"]);
  });

  it("stays away while the page is looked at, when muted, and before the visitor has written", () => {
    rung = [];
    look(true);
    on.chat.tell("message", reply("x"));
    look(false);
    on.ui.sound.value = false;
    on.chat.tell("message", reply("x"));
    on.ui.sound.value = true;
    on.chat.items.value = [reply("x")];
    on.chat.tell("message", reply("x"));
    expect(rung).toEqual([]);
  });

  it("is made by the one tab that gets the lock, and by none where there are no locks", () => {
    const run = vi.fn();
    const request = (lock: object | null) => (_name: string, _options: object, got: (lock: object | null) => unknown) =>
      Promise.resolve(got(lock));
    vi.stubGlobal("navigator", { locks: { request: request(null) } });
    once("a", run);
    expect(run).not.toHaveBeenCalled();
    vi.stubGlobal("navigator", { locks: { request: request({}) } });
    once("a", run);
    expect(run).toHaveBeenCalledOnce();
    vi.stubGlobal("navigator", {});
    once("a", run);
    expect(run).toHaveBeenCalledOnce();
  });
});
