// @vitest-environment happy-dom
import { afterEach, expect, it } from "vitest";
import { mount } from "./mount.ts";

afterEach(() => {
  delete window.Porchlight;
  delete window.PorchlightSettings;
});

it("answers the chat that is on the page already", async () => {
  const there = Object.assign(() => {}, { site: "default" });
  window.Porchlight = there;
  expect(await mount({ relay: "https://relay.example" })).toBe(there);
  expect(window.PorchlightSettings).toBeUndefined();
});

it("tells the script where the relay is, over what the page has set", async () => {
  window.PorchlightSettings = { accent: "#111111", title: "Page" };
  await expect(mount({ relay: "data:text/javascript,//", accent: "#222222" })).rejects.toThrow(
    /no script for site "default"/,
  );
  expect(window.PorchlightSettings).toEqual({ relay: "data:text/javascript,//", accent: "#222222", title: "Page" });
});

it("forgets the settings of an earlier mounting, and not the page's own", async () => {
  window.PorchlightSettings = { title: "Page" };
  await expect(mount({ relay: "data:text/javascript,//", accent: "#222222" })).rejects.toThrow();
  await expect(mount({ relay: "data:text/javascript,//", theme: "dark" })).rejects.toThrow();
  expect(window.PorchlightSettings).toEqual({ relay: "data:text/javascript,//", theme: "dark", title: "Page" });
});
