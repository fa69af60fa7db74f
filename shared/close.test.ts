import { expect, it } from "vitest";
import { CLOSE, endingOf } from "./close.ts";

it("endingOf finds each close code, and reconnects after unknown codes", () => {
  for (const ending of Object.values(CLOSE)) expect(endingOf(ending.code)).toEqual(ending);
  expect(endingOf(1006).reconnect).toBe("backoff");
});
