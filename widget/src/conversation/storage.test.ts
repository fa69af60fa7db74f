import { beforeEach, describe, expect, it } from "vitest";
import { hasConversation, openStorage, type Storage } from "./storage.ts";
import { type Browser, createBrowser, createWorld, type Tab, type World } from "./world.fixture.ts";

const KEY = "porchlight:shop";
const DAY = 86_400_000;
let world: World;
let browser: Browser;
let tab: Tab;
let storage: Storage;

beforeEach(() => {
  world = createWorld();
  browser = createBrowser(world);
  tab = browser.tab();
  storage = openStorage("shop", tab.page, tab.storage);
});

describe("the storage", () => {
  it("writes nothing until something changes, and then one key", () => {
    storage.read();
    expect(browser.storage.size).toBe(0);
    storage.change((saved) => {
      saved.draft = "hm";
    });
    expect([...browser.storage.keys()]).toEqual([KEY]);
  });

  it("reads the newest state before each change, so that a change of another tab is kept", () => {
    const other = browser.tab();
    const second = openStorage("shop", other.page, other.storage);
    storage.change((saved) => {
      saved.token = "t";
    });
    second.change((saved) => {
      saved.draft = "hm";
    });
    expect(storage.read()).toMatchObject({ token: "t", draft: "hm" });
  });

  for (const wrong of [
    "",
    "null",
    "7",
    "[]",
    "{",
    '{"unsent":7,"token":{},"read":"x","draft":null}',
    '{"unsent":[1,{}]}',
  ])
    it(`treats ${wrong || "an empty text"} as an empty state`, () => {
      browser.storage.set(KEY, wrong);
      expect(storage.read()).toEqual({
        token: "",
        epoch: "",
        n: 0,
        read: 0,
        unsent: [],
        draft: "",
        kept: "",
        forget: false,
        at: 0,
      });
    });

  it("works in memory when storage is blocked, from the start or later", () => {
    storage.change((saved) => {
      saved.draft = "one";
    });
    browser.blocked = true;
    storage.change((saved) => {
      saved.token = "t";
    });
    expect(storage.read()).toMatchObject({ draft: "one", token: "t" });
    storage.clear();
    expect(storage.read()).toMatchObject({ draft: "" });
  });

  it("works in memory when storage is full", () => {
    const full = openStorage("shop", tab.page, () => ({
      getItem: () => null,
      setItem() {
        throw new DOMException("Full", "QuotaExceededError");
      },
      removeItem() {},
    }));
    full.change((saved) => {
      saved.token = "t";
    });
    expect(full.read().token).toBe("t");
  });

  it("reports changes by another tab, and when another tab clears the storage", () => {
    const other = browser.tab();
    const received: unknown[] = [];
    const off = openStorage("shop", other.page, other.storage).watch((saved) => received.push(saved?.draft));
    storage.change((saved) => {
      saved.draft = "hm";
    });
    world.advance(10);
    storage.clear();
    world.advance(10);
    expect(received).toEqual(["hm", undefined]);
    off();
    expect(other.listening()).toBe(0);
  });
});

describe("the check for a stored conversation", () => {
  const look = () => hasConversation("shop", world.now, tab.storage);

  it("finds a conversation of this site that is younger than 30 days", () => {
    expect(look()).toBe(false);
    storage.change((saved) => {
      saved.draft = "only a draft";
    });
    expect(look()).toBe(false);
    storage.change((saved) => {
      saved.token = "t";
    });
    expect(look()).toBe(true);
    expect(hasConversation("other", world.now, tab.storage)).toBe(false);
    world.advance(30 * DAY);
    expect(look()).toBe(false);
  });

  it("finds none where storage is blocked", () => {
    browser.blocked = true;
    expect(look()).toBe(false);
  });
});
