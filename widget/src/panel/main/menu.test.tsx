// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readableText } from "../../text/readable-text.ts";
import { component } from "../base/component.ts";
import { isRemembered } from "../base/remembered.ts";
import { createFixture, drawn, type Fixture, own, reply } from "../base/ui.fixture.ts";
import { Menu } from "./menu.tsx";
import { transcriptName, transcriptOf } from "./transcript.ts";

let on: Fixture;
let view: HTMLElement;
let closed: boolean[];

async function open(): Promise<void> {
  closed = [];
  view = on.show(component(() => () => <Menu close={(back) => void closed.push(back)} />));
  await expect.poll(() => on.root.activeElement).toBe(entries()[0]);
}
const entries = (): HTMLElement[] => [...view.querySelectorAll<HTMLElement>("[role=menuitem]")];
const press = (name: string): void =>
  [...view.querySelectorAll("button")].find((button) => button.textContent === name)?.click();
const key = (name: string): void => {
  on.root.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
};

beforeEach(async () => {
  localStorage.clear();
  on = await createFixture({ privacyUrl: "https://example.com/privacy" });
  on.chat.items.value = [own("Hello"), reply("Hi")];
});
afterEach(() => on.stop());

describe("the menu", () => {
  it("has entries for the possible actions, and fewer in an empty conversation", async () => {
    await open();
    const all = ["Download conversation", "Turn sound off", "Privacy policy", "Delete conversation"];
    expect(entries().map((entry) => entry.textContent)).toEqual(all);
    on.chat.items.value = [];
    await drawn();
    expect(entries().map((entry) => entry.textContent)).toEqual(["Turn sound off", "Privacy policy"]);
  });

  it("is operated with the arrow keys, and closed with Escape or Tab", async () => {
    await open();
    key("ArrowUp");
    expect(on.root.activeElement?.textContent).toBe("Delete conversation");
    key("ArrowDown");
    expect(on.root.activeElement?.textContent).toBe("Download conversation");
    key("End");
    expect(on.root.activeElement?.textContent).toBe("Delete conversation");
    key("Escape");
    key("Tab");
    expect(closed).toEqual([true, true]);
  });

  it("deletes the conversation only after a confirmation", async () => {
    await open();
    press("Delete conversation");
    await drawn();
    expect(view.querySelector("[role=alertdialog]")?.textContent).toMatch(
      /can't be undone. The messaging service and its AI may keep a copy/,
    );
    expect(on.chat.calls).toEqual([]);
    press("Delete");
    expect(on.chat.calls).toEqual([["forget"]]);
    await expect.poll(() => on.said).toEqual(["Conversation deleted"]);
  });

  it("leaves it to the thread's last row to announce the deletion, and keeps the tray for files picked later", async () => {
    const asked: string[] = [];
    Object.assign(on.ui.files, { value: { forget: () => asked.push("forget") } });
    on.chat.ending.value = "gone";
    await open();
    press("Delete conversation");
    await drawn();
    press("Delete");
    await expect.poll(() => on.chat.calls).toEqual([["forget"]]);
    await drawn();
    expect([asked, on.said]).toEqual([["forget"], []]);
  });

  it("remembers that sound was turned off", async () => {
    await open();
    press("Turn sound off");
    expect(on.ui.sound.value).toBe(false);
    on.stop();
    on = await createFixture();
    await open();
    expect(on.ui.sound.value).toBe(false);
    press("Turn sound on");
    expect(isRemembered(on.ui, "mute")).toBe(false);
  });

  it("stores that sound was turned off only after consent", async () => {
    on.ui.consent.value = false;
    await open();
    press("Turn sound off");
    expect([localStorage.length, on.ui.sound.value, isRemembered(on.ui, "mute")]).toEqual([0, false, true]);
    on.ui.consent.value = true;
    expect(JSON.stringify({ ...localStorage })).toContain("mute");
  });
});

it("the transcript is plain text, without the formatting characters of Markdown", () => {
  on.chat.items.value = [
    own("<b>Do you ship?</b>", { at: new Date(2026, 10, 21, 10, 1).getTime() }),
    reply("**Yes**", {
      at: new Date(2026, 10, 21, 10, 2).getTime(),
      media: { url: "/media/a", type: "image/png", name: "map.png", size: 1 },
    }),
  ];
  const text = transcriptOf(on.ui, readableText);
  expect(text).toMatch(/^Conversation with Shop\n/);
  expect(text).toMatch(/You \(Nov 21, 2026, 10:01.AM\)\n<b>Do you ship\?<\/b>\n/);
  expect(text).toMatch(/AI assistant \(Nov 21, 2026, 10:02.AM\)\nYes\n\[map.png\]\n/);
});

it("the transcript keeps replies as they are where the site formats none", () => {
  on.settings.value = { ...on.settings.value, markdown: false };
  on.chat.items.value = [reply("**Yes**")];
  expect(transcriptOf(on.ui, readableText)).toContain("\n**Yes**\n");
});

it("the transcript's file is named after the site and the day", () => {
  const at = new Date(2026, 0, 5, 23, 59).getTime();
  expect(transcriptName({ settings: on.ui.settings, now: () => at })).toBe("Shop 2026-01-05.txt");
  on.settings.value = { ...on.settings.value, title: 'Lamps: "a/b"' };
  expect(transcriptName({ settings: on.ui.settings, now: () => at })).toBe("Lamps a b 2026-01-05.txt");
});

it("the menu contains only entries, also if the browser blocks notifications", async () => {
  Object.assign(window, { isSecureContext: true, Notification: { permission: "denied" } });
  const real = window.matchMedia;
  window.matchMedia = ((query: string) => ({ matches: query === "(pointer:fine)" })) as typeof window.matchMedia;
  await open();
  const children = [...(view.querySelector("[role=menu]")?.children ?? [])];
  const blocked = children.find((child) => child.textContent?.startsWith("Your browser blocks notifications"));
  expect(blocked?.getAttribute("aria-disabled")).toBe("true");
  expect(children.filter((child) => child.getAttribute("role") !== "menuitem")).toEqual([]);
  window.matchMedia = real;
  Reflect.deleteProperty(window, "Notification");
});

describe("the copy by email", () => {
  it("is offered if the relay sends mail and knows an address, and shows the result", async () => {
    on.chat.email.value = true;
    await open();
    expect(view.textContent).not.toContain("Email conversation");
    on.settings.value = { ...on.settings.value, mail: true };
    await drawn();
    press("Email conversation");
    await expect.poll(() => view.textContent).toContain("It's on its way to your inbox.");
    const asked = { t: "transcript", page: location.pathname, locale: "en" };
    expect(on.chat.calls).toContainEqual(expect.arrayContaining([asked]));
    press("It's on its way to your inbox.");
    expect(on.chat.calls).toHaveLength(1);
  });

  it("is not offered without a mail server or a known address", async () => {
    on.settings.value = { ...on.settings.value, mail: true };
    await open();
    expect(view.textContent).not.toContain("Email conversation");
  });
});
