/** One load of a page with the chat: a tab with a connection to a scripted relay. */

import { type Chat, createChat } from "./chat.ts";
import { createScript, type Script, type Wire } from "./script.fixture.ts";
import { type Browser, createBrowser, createWorld, type Tab } from "./world.fixture.ts";

export type Visit = { tab: Tab; script: Script; chat: Chat; online(welcome?: Parameters<Script["greet"]>[0]): Wire };

/** The storage key of the site's state. */
export const KEY = "porchlight:shop";

/** Loads the page in a new tab of the browser. The chat is not started. */
export function visit(browser: Browser): Visit {
  const tab = browser.tab();
  const script = createScript();
  const ports = { page: tab.page, storage: tab.storage, connect: script.connect };
  const chat = createChat({ site: "shop", relay: "https://relay.test", ...ports });
  return {
    tab,
    script,
    chat,
    /** Starts the chat and answers its hello. */
    online(welcome = {}) {
      chat.start();
      return script.greet(welcome);
    },
  };
}

/** The first page of a visitor, in a browser of a world of its own. */
export function firstVisit() {
  const world = createWorld();
  const browser = createBrowser(world);
  return { world, browser, ...visit(browser) };
}

/** `text: state` of everything shown. */
export const states = (chat: Chat): string[] => chat.items.value.map(({ text, state }) => `${text}: ${state}`);

/** Texts of the `send` frames, repeats too. */
export const sends = (wire: Wire): string[] => wire.sent.flatMap((frame) => (frame.t === "send" ? [frame.text] : []));
