/** Finds the chat on a page by visible properties, and uses it by keys and clicks. */

import { expect } from "vitest";
import type { Tab } from "./engine.ts";

/** Selects an element in the shadow root by CSS, by its whole text or name, or by both. The last match is used. */
export type Selector = { css?: string; text?: string };
export type Seen = {
  x: number;
  y: number;
  right: number;
  bottom: number;
  width: number;
  height: number;
  count: number;
};

/** Polling interval in milliseconds; vitest.config.ts sets the time limit. */
export const POLL = { interval: 40 };

export type Chat = ReturnType<typeof chatOn>;

/** The chat of a tab. Every action waits until its element can be used. */
export function chatOn(tab: Tab) {
  const see = (selector: Selector): Promise<Seen | null> => tab.run(look, selector);
  /** Waits until the element exists, has stopped moving, and is not covered. */
  async function find(selector: Selector): Promise<Seen> {
    let before: string | undefined;
    let seen: Seen | null = null;
    await expect
      .poll(async () => {
        seen = await see(selector);
        const now = JSON.stringify(seen);
        const still = seen !== null && now === before;
        before = now;
        return still ? "there" : `${JSON.stringify(selector)} is not visible`;
      }, POLL)
      .toBe("there");
    return seen as unknown as Seen;
  }
  async function click(selector: Selector): Promise<void> {
    const { x, y, width, height } = await find(selector);
    await tab.click(x + width / 2, y + height / 2);
  }
  const chat = {
    see,
    find,
    click,
    /** Waits until the element is gone. */
    gone: (selector: Selector) => expect.poll(() => see(selector), POLL).toBeNull(),
    /** Waits for a bubble with exactly this text. */
    shows: (text: string) => find({ css: ".bubble", text }),
    async open(): Promise<void> {
      await click({ css: ".launcher" });
      await find({ css: "textarea" });
    },
    /** Opens the chat after a reload. If the chat was left open, it opens by itself, and this only waits. */
    async reopen(): Promise<void> {
      await find({ css: ".launcher" });
      if (await tab.run(wasLeftOpen)) await find({ css: "textarea" });
      else await chat.open();
    },
    /** Inserts a text into the composer in one step, like a paste. */
    write: (text: string) => tab.run(insert, text),
    async send(text: string): Promise<void> {
      await find({ css: "textarea" });
      await chat.write(text);
      await click({ css: "button", text: "Send message" });
    },
    async converse(text = "Hello"): Promise<void> {
      await chat.open();
      await chat.send(text);
      await chat.shows(`echo: ${text}`);
    },
    /** Accessible name of the focused element within the chat, or its tag name. */
    focus: () => tab.run(focused),
    /** The text in the composer. */
    draft: () => tab.run(draft),
    bubbles: () => tab.run(bubbles),
  };
  return chat;
}

/** The functions below run in the page. */

/** Whether the chat was left open in this tab. Storage throws where cookies are blocked. */
function wasLeftOpen(): boolean {
  try {
    const wide = innerWidth > 599 && innerHeight > 449;
    return wide && Object.keys(sessionStorage).some((key) => /^porchlight:.*:open$/.test(key));
  } catch {
    return false;
  }
}

function look({ css = "*", text }: Selector): Seen | null {
  const root = document.querySelector("porch-light")?.shadowRoot;
  const named = (one: Element): boolean => text === undefined || (one.ariaLabel ?? one.textContent?.trim()) === text;
  const all = [...(root?.querySelectorAll(css) ?? [])].filter(
    (one) => named(one) && one.checkVisibility({ visibilityProperty: true }),
  );
  const last = all.at(-1);
  if (!last) return null;
  const { x, y, right, bottom, width, height } = last.getBoundingClientRect();
  return { x, y, right, bottom, width, height, count: all.length };
}

/** Replaces the field's text like a paste, including the browser's own editing events. */
function insert(text: string): void {
  const field = document.querySelector("porch-light")?.shadowRoot?.querySelector("textarea");
  field?.focus();
  field?.select();
  document.execCommand("insertText", false, text);
}

function focused(): string {
  const { activeElement } = document;
  const inner = activeElement?.shadowRoot?.activeElement ?? activeElement;
  return inner?.ariaLabel ?? (inner?.id || inner?.className || inner?.localName) ?? "";
}

function draft(): string {
  return document.querySelector("porch-light")?.shadowRoot?.querySelector("textarea")?.value ?? "";
}

function bubbles(): string[] {
  // The dots may stay for half a second after a reply.
  const all = document.querySelector("porch-light")?.shadowRoot?.querySelectorAll(".bubble:not(.dots)") ?? [];
  return [...all].map((one) => one.textContent ?? "");
}
