import { expect, it } from "vitest";
import { FLAWLESS } from "../flaws.ts";
import { faultRun } from "./fault-run.ts";

it("loses, duplicates and reorders no message while the relay is killed and the service fails", async () => {
  const figures = await faultRun({ visitors: 10, messages: 8, kills: 3, seed: 20_261_121 });
  expect(figures).toMatchObject({ acknowledged: 80, ...FLAWLESS, kills: 3 });
  expect(figures.replies).toBeGreaterThan(0);
});
