import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { progress } from "./progress.ts";

/** The output of a progress bar for 50 items on a stream. */
function shown(isTTY: boolean): string {
  let text = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  const bar = progress("Files", 50, Object.assign(stream, { isTTY }) as unknown as NodeJS.WriteStream);
  for (let i = 0; i < 50; i++) bar.tick();
  bar.end();
  return text;
}

it("draws a progress bar only in a terminal", () => {
  const bars = shown(true).split("\r").slice(1);
  expect(bars[0]).toBe(`Files [${"#".repeat(15)}${"-".repeat(15)}] 25/50`);
  expect(bars.at(-1)).toBe(`Files [${"#".repeat(30)}] 50/50\n`);
  expect(shown(false)).toBe("");
});
