import { expect, it } from "vitest";
import { committed } from "../bench/counts/renew.ts";
import { count } from "../bench/counts/scenario.ts";

it("does for each step of a conversation what counts.json says, and no more (npm run bench -- --counts renews it)", async () => {
  const { counts } = await count();
  const known = committed();
  const exact = ({ steps }: typeof counts) =>
    Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, step.exact]));
  expect(exact(counts)).toEqual(exact(known));
  const trip = counts.steps["round trip"]?.atMost ?? {};
  const above = Object.entries(known.steps["round trip"]?.atMost ?? {}).filter(
    ([name, most]) => (trip[name] ?? Number.NaN) > most,
  );
  expect(above, `counted: ${JSON.stringify(trip)}`).toEqual([]);
});
