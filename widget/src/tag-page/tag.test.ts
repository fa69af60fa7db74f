// @vitest-environment happy-dom
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { expect, it } from "vitest";
import { checkedSettings, mergeLayers } from "../settings/options.ts";
import { tagOf } from "./tag.ts";

const RELAY = "https://chat.example.com";

it("the tag is one line for a site without changed settings", () => {
  expect(tagOf(RELAY, "default", {})).toBe(
    '<script async src="https://chat.example.com/widget.js" data-site="default"></script>',
  );
  expect(tagOf(RELAY, "shop", { theme: "dark" })).toBe(
    '<script async src="https://chat.example.com/w/shop.js" data-site="shop" data-theme="dark"></script>',
  );
});

it("passes the chosen settings to the browser, with any characters in the texts", () => {
  const chosen = {
    title: 'Moth & "Filament" <shop>',
    greeting: "</script><script>alert(1)</script>",
    suggestions: ["One?", "Two & three?"],
    sound: false,
    requireConsent: true,
    hours: { timeZone: "UTC", mon: "9:00-17:00" },
    prechat: ["name", "email?"],
  };
  const text = tagOf(RELAY, "default", chosen);
  const page = new DOMParser().parseFromString(text, "text/html");
  expect(page.querySelectorAll("script")).toHaveLength(1);
  const tag = (page.querySelector("script") as HTMLScriptElement).dataset;
  expect(checkedSettings(mergeLayers(false, DEFAULT_SITE, { ...tag }), DEFAULT_SITE)).toMatchObject(chosen);
});
