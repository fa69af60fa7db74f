// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Options } from "../../settings/options.ts";
import { createFixture, drawn, type Fixture } from "../base/ui.fixture.ts";
import { Composer } from "./composer.tsx";

let on: Fixture;
let field: HTMLTextAreaElement;
let isMouse: boolean;

beforeEach(async () => {
  isMouse = true;
  vi.stubGlobal("matchMedia", (query: string) => ({ matches: query.includes("pointer:fine") && isMouse }));
  await open();
});
afterEach(() => {
  on.stop();
  vi.unstubAllGlobals();
});

async function open(options: Options = {}): Promise<void> {
  on = await createFixture(options);
  field = on.show(Composer).querySelector("textarea") as HTMLTextAreaElement;
}
async function type(text: string): Promise<void> {
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await drawn();
}
const enter = (more: KeyboardEventInit & { keyCode?: number } = {}): void => {
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...more }));
};
const sends = (): unknown[] => on.chat.calls.filter(([name]) => name === "send").map(([, text]) => text);
const send = (): HTMLButtonElement => on.root.querySelector("button[type=submit]") as HTMLButtonElement;

describe("the composer", () => {
  it("offers emoji to visitors with a mouse, unless the site switches them off", async () => {
    const emoji = (): Element | null => on.root.querySelector("button[aria-label='Insert an emoji']");
    expect(emoji()).not.toBeNull();
    on.stop();
    await open({ emojiPicker: false });
    expect(emoji()).toBeNull();
    on.stop();
    isMouse = false;
    await open();
    expect(emoji()).toBeNull();
  });

  it("sends the trimmed text on Enter and clears the field", async () => {
    await type("  Hello\n");
    enter();
    await drawn();
    expect(sends()).toEqual(["Hello"]);
    expect(field.value).toBe("");
  });

  it("does not send on Shift+Enter", async () => {
    await type("Hello");
    enter({ shiftKey: true });
    expect(sends()).toEqual([]);
  });

  it("does not send when Enter confirms the text of an input method, also with the key code that Safari reports", async () => {
    await type("に");
    enter({ isComposing: true });
    enter({ keyCode: 229 });
    expect(sends()).toEqual([]);
    enter();
    expect(sends()).toEqual(["に"]);
  });

  it("on touch screens starts a new line on Enter and sends on Ctrl+Enter", async () => {
    on.stop();
    isMouse = false;
    await open();
    await type("Hello");
    enter();
    expect(sends()).toEqual([]);
    enter({ ctrlKey: true });
    expect(sends()).toEqual(["Hello"]);
  });

  it("does not send text without visible characters", async () => {
    for (const blank of ["", "  \n", "\u200b\u2060"]) {
      await type(blank);
      enter();
      expect(send().disabled).toBe(true);
    }
    expect(sends()).toEqual([]);
  });

  it("shows how many characters are left from 90 % of the limit on, and does not send longer text", async () => {
    await type("x".repeat(3_599));
    expect(on.root.getElementById("left")).toBeNull();
    await type("x".repeat(3_999));
    await expect.poll(() => on.root.getElementById("left")?.textContent).toBe("1 character left");
    expect(field.getAttribute("aria-describedby")).toBe("left");
    await type("x".repeat(4_002));
    expect(on.root.getElementById("left")?.textContent).toBe("2 characters over the limit");
    enter();
    expect(sends()).toEqual([]);
    expect(field.value).toHaveLength(4_002);
  });

  it("keeps the text when the outbox is full", async () => {
    on.stop();
    on = await createFixture();
    on.ui.send = () => 0;
    field = on.show(Composer).querySelector("textarea") as HTMLTextAreaElement;
    await type("the fifty-first");
    enter();
    await drawn();
    expect(field.value).toBe("the fifty-first");
    expect(on.chat.draft.value).toBe("the fifty-first");
  });

  it("is never disabled, and keeps the draft in the chat", async () => {
    on.chat.link.value = "offline";
    await type("draft");
    expect(field.disabled).toBe(false);
    expect(on.chat.draft.value).toBe("draft");
  });

  it("sends a typing event for text, but not for blanks", async () => {
    await type(" ");
    await type("a");
    expect(on.chat.calls).toEqual([["typing"]]);
  });

  it("does not send the text while picked files are still being added to the tray", async () => {
    await type("Look");
    on.ui.adding.value = 1;
    await drawn();
    expect(send().disabled).toBe(true);
    enter();
    expect(sends()).toEqual([]);
    on.ui.adding.value = 0;
    await drawn();
    expect(send().disabled).toBe(false);
    enter();
    expect(sends()).toEqual(["Look"]);
  });

  it("shows a text when the visitor is rate-limited", async () => {
    on.chat.notice.value = { code: "rate_limited", retryAfter: 3_000 };
    await drawn();
    expect(on.root.getElementById("left")?.textContent).toMatch(/too quickly/);
  });
});
