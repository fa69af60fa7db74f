import { SETTINGS, type SiteSetting } from "@porchlight/shared/settings";
import { expect, it } from "vitest";
import { choiceNameOf, helpOf, labelOf } from "./names.ts";

const names = Object.keys(SETTINGS) as SiteSetting[];
const plain = (text: string): string => text.toLowerCase().replace(/[.`]/g, "");

it("names every choice in words that an owner uses", () => {
  for (const name of names) {
    const setting = SETTINGS[name];
    if (setting.kind !== "choice") continue;
    for (const one of setting.of) expect(choiceNameOf(name, one), `${name} ${one}`).toMatch(/^[A-Z]/);
  }
});

it("has no help that repeats the label, or names a setting as programs do", () => {
  for (const name of names) {
    expect(plain(helpOf(name)).startsWith(plain(labelOf(name))), `${labelOf(name)}: ${helpOf(name)}`).toBe(false);
    expect(helpOf(name).match(/\b[a-z]+[A-Z]\w+/g), name).toBeNull();
  }
});
