import { expect, it } from "vitest";
import { manual, settingsTable } from "./manual.ts";

it("the widget's manual lists every setting of the chat (node test/conventions/manual.ts updates the table)", () => {
  expect(manual().written).toBe(settingsTable());
});
