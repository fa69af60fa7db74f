import { expect, it } from "vitest";
import { combineRepeatedEvents } from "./repeated-events.ts";

it("writes the first of many lines that outsiders cause, then one line with a count per minute", () => {
  const lines: unknown[][] = [];
  const due: (() => void)[] = [];
  const after = (_ms: number, fn: () => void) => {
    due.push(fn);
    return () => {};
  };
  const log = combineRepeatedEvents((...line) => void lines.push(line), { after });
  for (let n = 0; n < 13_000; n++) log("callback.wrong_secret", { n });
  log("relay.started", { port: 1 });
  log("relay.started", { port: 2 });
  expect(lines).toHaveLength(3);
  for (const fn of due.splice(0)) fn();
  expect(lines.at(-1)).toEqual(["callback.wrong_secret", { count: 12_999, seconds: 60 }]);
  log("callback.wrong_secret", { n: "again" });
  for (const fn of due.splice(0)) fn();
  expect(lines).toHaveLength(5);
});

it("does not combine lines that only the relay itself causes", () => {
  const lines: unknown[][] = [];
  const log = combineRepeatedEvents((...line) => void lines.push(line), { after: () => () => {} });
  for (let n = 0; n < 3; n++) log("relay.started", { port: n });
  expect(lines).toHaveLength(3);
});
