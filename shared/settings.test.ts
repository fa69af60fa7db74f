import { describe, expect, it } from "vitest";
import { fromAttribute, SETTINGS, settingProblemOf } from "./settings.ts";

describe("a setting of a site", () => {
  it.each([
    ["accent", "#a8452b"],
    ["accent", "#0a7"],
    ["theme", "dark"],
    ["offsetX", 0],
    ["sound", false],
    ["locale", "pt_BR"],
    ["locale", "auto"],
    ["privacyUrl", "https://shop.example/privacy?lang=en"],
    ["avatar", ""],
    ["icon", "M4 4.5h16V16h-9l-5 4v-4h-2z"],
    ["prechat", ["name", "phone?"]],
    ["prechat", ["email", "order?"]],
    [
      "customFields",
      { order: { label: "Order number" }, size: { label: "Size", type: "choice", choices: ["S", "M"] } },
    ],
    ["customFields", {}],
    ["hours", { timeZone: "Europe/Oslo", mon: "9:00-12:00, 13:00-17:30", sun: "0:00-24:00" }],
    ["hours", { timeZone: "UTC", fri: "22:00-02:00", sat: "18:00-0:00", sun: "" }],
    ["hours", {}],
    ["phone", { offsetX: 8, launcher: "text" }],
    ["strings", { chat: "Ask us" }],
  ])("%s may be %j", (name, value) => {
    expect(settingProblemOf(name, value)).toBeUndefined();
  });

  it.each([
    ["accent", "red", "#4f46e5"],
    ["theme", "drak", "auto, light, dark"],
    ["offsetX", "12", "whole number"],
    ["offsetX", 1.5, "whole number"],
    ["sound", "yes", "true or false"],
    ["locale", "english, please", "language"],
    ["privacyUrl", "javascript:alert(1)", "address"],
    ["avatar", "data:image/png;base64,AA", "address"],
    ["icon", "url(https://evil.example)", "SVG path"],
    ["prechat", ["e-mail"], "name, email, phone"],
    ["customFields", [], "like"],
    ["customFields", { email: { label: "E-mail" } }, "not name, email, phone"],
    ["customFields", { "order no": { label: "Order" } }, "order no"],
    ["customFields", { order: {} }, "order needs a label"],
    ["customFields", { order: { label: "Order", type: "file" } }, 'type "file"'],
    ["customFields", { size: { label: "Size", type: "choice" } }, "size choices must be"],
    ["customFields", { size: { label: "Size", type: "choice", choices: [] } }, "size needs choices"],
    ["suggestions", "One|Two", "list"],
    ["hours", { timeZone: "Oslo", mon: "9:00-17:00" }, "Oslo"],
    ["hours", { timeZone: "UTC", monday: "9:00-17:00" }, "monday"],
    ["hours", { timeZone: "UTC", mon: "9:00-25:99" }, "mon"],
    ["hours", { timeZone: "UTC", tue: "9:00-25:00" }, "tue"],
    ["hours", { timeZone: "UTC", wed: "24:00-2:00" }, "wed"],
    ["hours", { timeZone: "UTC", thu: "9:00-9:00" }, "thu"],
    ["hours", { timeZone: "UTC", mon: "9-17" }, "mon"],
    ["hours", { mon: "9:00-17:00" }, "timeZone"],
    ["phone", { offsetX: "far" }, "offsetX must be"],
    ["phone", { phone: {} }, "cannot contain phone"],
    ["strings", { chat: 1 }, "500"],
    ["colour", "#fff", "no setting"],
    ["constructor", "#fff", "no setting"],
  ])("%s may not be %j, and the message says why", (name, value, words) => {
    expect(settingProblemOf(name, value)).toContain(words);
  });

  it("has a default and a help text of one line", () => {
    for (const { help, fallback } of Object.values(SETTINGS)) expect([help, fallback].join()).toMatch(/^[^\n]{8,}$/);
  });
});

describe("an attribute's text", () => {
  it.each([
    ["offsetX", "12", 12],
    ["offsetX", "far", "far"],
    ["requireConsent", "", true],
    ["sound", "false", false],
    ["sound", "off", "off"],
    ["suggestions", "One|Two", ["One", "Two"]],
    ["capture", "email", ["email"]],
    ["capture", "", []],
    ["hours", '{"timeZone":"UTC"}', { timeZone: "UTC" }],
    ["hours", "{", "{"],
    ["title", "12", "12"],
    ["unknown", "12", "12"],
  ])("%s=%j means %j", (name, given, value) => {
    expect(fromAttribute(name, given)).toEqual(value);
  });
});
