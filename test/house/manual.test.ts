import { expect, it } from "vitest";
import { manual, settingsTable } from "./manual.ts";

it("lists every setting of the chat in the widget's manual (node test/house/manual.ts updates the table)", () => {
  expect(manual().written).toBe(settingsTable());
});
