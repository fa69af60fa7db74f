import { beforeEach, describe, expect, it } from "vitest";
import { createDraft, type Draft } from "./draft.ts";
import { openStorage, type Storage } from "./storage.ts";
import { type Browser, createBrowser, createWorld, type Tab, type World } from "./world.fixture.ts";

let world: World;
let browser: Browser;
let tab: Tab;
let storage: Storage;
let draft: Draft;

const open = (): void => {
  tab = browser.tab();
  storage = openStorage("shop", tab.page, tab.storage);
  draft = createDraft({ page: tab.page, storage });
};

beforeEach(() => {
  world = createWorld();
  browser = createBrowser(world);
  open();
});

describe("the draft", () => {
  it("is saved 400 ms after the last key, and loaded by the next page", () => {
    draft.start();
    draft.text.value = "Do you";
    world.advance(399);
    draft.text.value = "Do you ship?";
    world.advance(399);
    expect(storage.read().draft).toBe("");
    world.advance(1);
    expect(storage.read().draft).toBe("Do you ship?");
    open();
    draft.start();
    expect(draft.text.value).toBe("Do you ship?");
  });

  it("is saved at once when the page is hidden or the draft is stopped", () => {
    const stop = draft.start();
    draft.text.value = "one";
    tab.emit("pagehide");
    expect(storage.read().draft).toBe("one");
    draft.text.value = "two";
    stop();
    expect(storage.read().draft).toBe("two");
    expect([world.pending(), tab.listening()]).toEqual([0, 0]);
  });

  it("keeps the text that the visitor typed before the saved one was loaded", () => {
    storage.change((saved) => {
      saved.draft = "old";
    });
    draft.text.value = "new";
    draft.start();
    expect(draft.text.value).toBe("new");
  });

  it("does not write an unchanged text again, so that a draft sent in another tab does not return", () => {
    storage.change((saved) => {
      saved.draft = "sent elsewhere";
    });
    const stop = draft.start();
    const other = browser.tab();
    openStorage("shop", other.page, other.storage).change((saved) => {
      saved.draft = "";
    });
    stop();
    expect(storage.read().draft).toBe("");
  });
});
