// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Options } from "../settings/options.ts";
import { mount } from "./mount.ts";

declare global {
  /** What the scripts of these tests see: the page's settings as they run, the commands given to them, their addresses. */
  var saw: { settings: Options[]; calls: unknown[][]; addresses: string[] };
}

/** A script in place of the relay's, which the rest of its address is a comment to. */
const scriptOf = (code: string): string =>
  `data:text/javascript,${encodeURIComponent(
    `saw.settings.push(JSON.parse(JSON.stringify(window.PorchlightSettings))); saw.addresses.push(import.meta.url); ${code} //`,
  )}`;
/** The one that puts a chat on the page, unless there is one. */
const CHAT = scriptOf(
  'window.Porchlight ??= Object.assign((...call) => { saw.calls.push(call); }, { site: "default" });',
);
const BROKEN = scriptOf("");
/** Which word each address had after its `mount=`. */
const wordsOf = (): string[] => globalThis.saw.addresses.map((address) => address.split("mount=")[1] ?? "");

beforeEach(() => {
  globalThis.saw = { settings: [], calls: [], addresses: [] };
});
afterEach(() => {
  delete window.Porchlight;
  delete window.PorchlightSettings;
  vi.restoreAllMocks();
});

it("answers the chat that is on the page already", async () => {
  const there = Object.assign(() => {}, { site: "default" });
  window.Porchlight = there;
  expect(await mount({ relay: "https://relay.example" })).toBe(there);
  expect(window.PorchlightSettings).toBeUndefined();
});

it("says in the console that the chat which is there is another site's", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  window.Porchlight = Object.assign(() => {}, { site: "default" });
  expect((await mount({ relay: "https://relay.example", site: "other" })).site).toBe("default");
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/"default".*"other"/)]]);
});

it("tells the script where the relay is, over what the page has set, and leaves the page's own as they were", async () => {
  const own = { accent: "#111111", title: "Page" };
  window.PorchlightSettings = own;
  await mount({ relay: CHAT, accent: "#222222", manual: true });
  expect(globalThis.saw.settings).toEqual([{ relay: CHAT, accent: "#222222", title: "Page", manual: true }]);
  expect(globalThis.saw.calls).toEqual([["update", { accent: "#222222", manual: true }]]);
  expect(window.PorchlightSettings).toBe(own);
  expect(own).toEqual({ accent: "#111111", title: "Page" });
});

it("leaves nothing of its own on a page that has set nothing, also where the relay cannot be reached", async () => {
  await mount({ relay: CHAT });
  expect("PorchlightSettings" in window).toBe(false);
  delete window.Porchlight;
  await expect(mount({ relay: "data:text/javascript,}" })).rejects.toThrow();
  expect("PorchlightSettings" in window).toBe(false);
});

it("takes a relay with a slash behind", async () => {
  await mount({ relay: `${CHAT}///` });
  expect(globalThis.saw.addresses).toEqual([expect.stringMatching(/[^/]\/w\/default\.js\?mount=/)]);
  expect(globalThis.saw.settings).toEqual([{ relay: CHAT }]);
});

it("runs the script anew for each mounting, also where another copy of the module has counted as far", async () => {
  await mount({ relay: CHAT });
  delete window.Porchlight;
  vi.resetModules();
  const { mount: mountAgain } = (await import("./mount.ts")) as { mount: typeof mount };
  await mountAgain({ relay: CHAT });
  delete window.Porchlight;
  await mountAgain({ relay: CHAT });
  expect(new Set(wordsOf()).size).toBe(3);
});

it("says that the script puts no chat there", async () => {
  await expect(mount({ relay: BROKEN })).rejects.toThrow(/no script for site "default"/);
});

it("is one chat with one mounting's settings where two copies of the module begin at once", async () => {
  vi.resetModules();
  const { mount: mountToo } = (await import("./mount.ts")) as { mount: typeof mount };
  const [one, other] = await Promise.all([
    mount({ relay: CHAT, title: "One" }),
    mountToo({ relay: CHAT, title: "Other" }),
  ]);
  expect(one).toBe(other);
  expect(globalThis.saw.calls).toEqual([["update", { title: "One" }]]);
  expect("PorchlightSettings" in window).toBe(false);
});
