// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from "vitest";
import type { RawSettings } from "../settings/options.ts";
import { element } from "./dom.ts";

/** Loads the module again, because its state belongs to one page. */
async function newPage(): Promise<typeof import("./teaser.ts")> {
  vi.resetModules();
  return import("./teaser.ts");
}

afterEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  vi.useRealTimers();
});

type Page = { settings?: RawSettings; consent?: boolean | undefined; isPhone?: boolean };

/**
 * Tries to show the teaser on a page.
 * @param close presses its close button
 * @returns the result of `showTeaser`, and the text if it shows
 */
async function tryTeaser({ settings = {}, consent, isPhone = false }: Page, close = false) {
  const { showTeaser } = await newPage();
  const host = document.body.appendChild(element("div"));
  const root = host.attachShadow({ mode: "open" });
  const [launcher, dialog] = [element("button"), element("dialog")];
  root.append(launcher, dialog);
  const lastArguments = consent === undefined ? {} : { consent };
  const all = { teaser: "Questions?", ...settings };
  const phone = Object.assign(new EventTarget(), { matches: isPhone });
  const isDone = showTeaser(element, { host, root, launcher, dialog, lastArguments, settings: () => all }, phone);
  const text = root.querySelector(".teaser bdi")?.textContent;
  if (close) root.querySelector<HTMLElement>(".teaser button + button")?.click();
  host.remove();
  return { isDone, text };
}
const shows = async (page: Page): Promise<boolean> => (await tryTeaser(page)).text !== undefined;

it("keeps the punctuation in place in a text with another direction than the page's", async () => {
  expect(await tryTeaser({})).toEqual({ isDone: true, text: "Questions?" });
});

it("waits for consent where the site requires it, in every notation of that setting", async () => {
  for (const requireConsent of [undefined, false, "false"] as const)
    expect(await shows({ settings: requireConsent === undefined ? {} : { requireConsent } })).toBe(true);
  for (const requireConsent of [true, "true", ""] as const) {
    expect(await tryTeaser({ settings: { requireConsent } })).toEqual({ isDone: false, text: undefined });
    expect(await shows({ settings: { requireConsent }, consent: true })).toBe(true);
    localStorage.clear();
  }
});

it("shows once per visitor after consent, and stores nothing before", async () => {
  expect([await shows({}), await shows({}), localStorage.length]).toEqual([true, true, 0]);
  expect([await shows({ consent: true }), await shows({ consent: true })]).toEqual([true, false]);
  expect(await shows({ consent: false })).toBe(true);
  expect(localStorage.length).toBe(0);
});

it("does not show again in a session in which the visitor has closed it", async () => {
  await tryTeaser({}, true);
  expect(await tryTeaser({})).toEqual({ isDone: true, text: undefined });
});

it("does not show in a small window, and not before a value meets the site's condition", async () => {
  const settings = { teaserWhen: "cart>50" };
  expect(await tryTeaser({ isPhone: true })).toEqual({ isDone: false, text: undefined });
  expect(await tryTeaser({ settings })).toEqual({ isDone: false, text: undefined });
  expect(await shows({ settings: { ...settings, values: { cart: 59 } } })).toBe(true);
});

it("recognises a returning visitor from the second visit on, after consent only", async () => {
  vi.useFakeTimers();
  const settings = { teaserWhen: "returning" };
  const visit = (consent?: boolean) => shows({ settings, consent });
  expect([await visit(), localStorage.length]).toEqual([false, 0]);
  expect([await visit(true), await visit(true)]).toEqual([false, false]);
  vi.advanceTimersByTime(3_600_000);
  expect([await visit(), await visit(true)]).toEqual([false, true]);
});
