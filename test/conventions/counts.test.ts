import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";
import { committed } from "../bench/counts/renew.ts";
import type { Counts } from "../bench/counts/scenario.ts";
import { COMPILE_CACHE } from "../compile-cache.ts";

/** Counts in a separate process, because other tests may still be running in this one. */
async function countApart(): Promise<Counts> {
  const program = join(import.meta.dirname, "..", "bench", "counts", "child.ts");
  const child = fork(program, { env: { ...process.env, ...COMPILE_CACHE }, execArgv: [] });
  const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`The count ended with ${code}`)));
  const [counts] = (await Promise.race([once(child, "message"), ended])) as [Counts];
  await ended.catch(() => {});
  return counts;
}

it("each step of a conversation costs exactly what counts.json says (npm run bench -- --counts updates it)", async () => {
  const counts = await countApart();
  const exact = ({ steps }: typeof counts) =>
    Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, step.exact]));
  expect(exact(counts)).toEqual(exact(committed()));
});
