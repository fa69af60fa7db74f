// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Options } from "../settings/options.ts";
import { mount } from "./mount.ts";

declare global {
  /**
   * What the scripts of these tests have recorded: `PorchlightSettings` when each one ran, all calls of `Porchlight`, and each
   * script's own address.
   */
  var recorded: { settings: Options[]; calls: unknown[][]; addresses: string[] };
}

/** The `data:` address of a script that replaces the relay's. The rest of the address becomes a comment in it. */
const scriptOf = (code: string): string =>
  `data:text/javascript,${encodeURIComponent(
    `recorded.settings.push(JSON.parse(JSON.stringify(window.PorchlightSettings))); recorded.addresses.push(import.meta.url); ${code} //`,
  )}`;
/** A script that puts a chat on the page, unless there is one. */
const CHAT = scriptOf(
  'window.Porchlight ??= Object.assign((...call) => { recorded.calls.push(call); }, { site: "default" });',
);
const BROKEN = scriptOf("");
const mountValues = (): string[] => globalThis.recorded.addresses.map((address) => address.split("mount=")[1] ?? "");

beforeEach(() => {
  globalThis.recorded = { settings: [], calls: [], addresses: [] };
});
afterEach(() => {
  delete window.Porchlight;
  delete window.PorchlightSettings;
  vi.restoreAllMocks();
});

it("returns the chat that is already on the page", async () => {
  const existing = Object.assign(() => {}, { site: "default" });
  window.Porchlight = existing;
  expect(await mount({ relay: "https://relay.example" })).toBe(existing);
  expect(window.PorchlightSettings).toBeUndefined();
});

it("warns in the console if the chat on the page belongs to another site", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  window.Porchlight = Object.assign(() => {}, { site: "default" });
  expect((await mount({ relay: "https://relay.example", site: "other" })).site).toBe("default");
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/"default".*"other"/)]]);
});

it("passes the relay's address to the script, overriding the page's settings, and restores these afterwards", async () => {
  const own = { accent: "#111111", title: "Page" };
  window.PorchlightSettings = own;
  await mount({ relay: CHAT, accent: "#222222", manual: true });
  expect(globalThis.recorded.settings).toEqual([{ relay: CHAT, accent: "#222222", title: "Page", manual: true }]);
  expect(globalThis.recorded.calls).toEqual([["update", { accent: "#222222", manual: true }]]);
  expect(window.PorchlightSettings).toBe(own);
  expect(own).toEqual({ accent: "#111111", title: "Page" });
});

it("leaves no settings on a page that has set none, also if the relay cannot be reached", async () => {
  await mount({ relay: CHAT });
  expect("PorchlightSettings" in window).toBe(false);
  delete window.Porchlight;
  await expect(mount({ relay: "data:text/javascript,}" })).rejects.toThrow();
  expect("PorchlightSettings" in window).toBe(false);
});

it("accepts an address of the relay with a final slash", async () => {
  await mount({ relay: `${CHAT}///` });
  expect(globalThis.recorded.addresses).toEqual([expect.stringMatching(/[^/]\/w\/default\.js\?mount=/)]);
  expect(globalThis.recorded.settings).toEqual([{ relay: CHAT }]);
});

it("runs the script again for each mount, also if another copy of the module has used the same number", async () => {
  await mount({ relay: CHAT });
  delete window.Porchlight;
  vi.resetModules();
  const { mount: mountAgain } = (await import("./mount.ts")) as { mount: typeof mount };
  await mountAgain({ relay: CHAT });
  delete window.Porchlight;
  await mountAgain({ relay: CHAT });
  expect(new Set(mountValues()).size).toBe(3);
});

it("rejects if the script adds no chat", async () => {
  await expect(mount({ relay: BROKEN })).rejects.toThrow(/no script for site "default"/);
});

it("adds one chat, with the settings of the first mount, when two copies of the module mount at the same time", async () => {
  vi.resetModules();
  const { mount: mountToo } = (await import("./mount.ts")) as { mount: typeof mount };
  const [one, other] = await Promise.all([
    mount({ relay: CHAT, title: "One" }),
    mountToo({ relay: CHAT, title: "Other" }),
  ]);
  expect(one).toBe(other);
  expect(globalThis.recorded.calls).toEqual([["update", { title: "One" }]]);
  expect("PorchlightSettings" in window).toBe(false);
});
