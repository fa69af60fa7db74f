// @vitest-environment happy-dom
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { expect, it, vi } from "vitest";
import { check, otherSite, problemsOf } from "./check-settings.ts";
import { mergeLayers } from "./options.ts";

const problems = (tag: object, phone = false): string[] => problemsOf(mergeLayers(phone, DEFAULT_SITE, tag));

it("accepts attributes and objects as in the manual", () => {
  const tag = {
    site: "default",
    offsetX: "12",
    requireConsent: "",
    sound: "false",
    suggestions: "One?|Two?",
    hours: '{"timeZone":"Europe/Oslo","mon":"9:00-17:00"}',
    phone: '{"launcher":"text"}',
    capture: "",
  };
  expect(problems(tag)).toEqual([]);
  expect(problems(tag, true)).toEqual([]);
  expect(problems({ offsetX: 12, sound: false, suggestions: ["One?"], hours: { timeZone: "UTC" } })).toEqual([]);
});

it("names a wrong value, the allowed values, and the given value", () => {
  expect(problems({ theme: "drak", offsetX: "12px" })).toEqual([
    'theme must be one of auto, light, dark; it is "drak"',
    'offsetX must be a whole number from 0 to 999; it is "12px"',
  ]);
  expect(problems({ hours: '{"timeZone":"Oslo"}' })[0]).toContain('hours timeZone is "Oslo"');
  expect(problems({ hours: "9-5" })[0]).toContain("hours must be like");
});

it("suggests a setting for a similar name, and ignores attributes of other tools", () => {
  expect(problems({ acent: "#123456", offsetx: "3", turboTrack: "reload", cfasync: "false" })).toEqual([
    "acent is not a setting: did you mean accent?",
    "offsetx is not a setting: did you mean offsetX?",
  ]);
});

it("warns only on the developer's machine", () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  for (const host of ["shop.example", "127.example.com", "local.example"]) check({ theme: "drak" }, "default", host);
  expect(warn).not.toHaveBeenCalled();
  for (const host of ["localhost", "127.0.0.1", "[::1]"]) check({ theme: "drak" }, "default", host);
  expect(warn).toHaveBeenCalledTimes(3);
  warn.mockRestore();
});

it("warns of a tag that names another site than the one that runs", () => {
  const tag = (src: string, site?: string): void => {
    const script = Object.assign(document.createElement("script"), { type: "text/plain", src });
    if (site) script.dataset.site = site;
    document.head.append(script);
  };
  tag("https://chat.example/widget.js");
  tag("https://chat.example/w/shop.js");
  tag("https://other.example/app.js", "help");
  expect(otherSite("shop")).toBeUndefined();
  tag("https://chat.example/widget.js", "help");
  expect(otherSite("shop")).toContain('"help"');
  document.head.replaceChildren();
});
