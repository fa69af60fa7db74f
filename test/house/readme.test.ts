import { expect, it } from "vitest";
import { readme, settingsTable } from "./readme.ts";

it("lists every setting in the README as the relay reads it (node test/house/readme.ts renews the table)", () => {
  expect(readme().written).toBe(settingsTable());
});
