import { expect, it } from "vitest";
import { stuckIn } from "./alerts.ts";

it("sends a person to a message only if its outcome is unknown, and names the command that accepts it", () => {
  const message = { kind: "send", key: "shop/order/7" } as const;
  expect(stuckIn({ ...message, state: "intent", reason: "401: bad key" })).toEqual({
    problem: "A message of your backend is not sent yet: shop/order/7 (401: bad key).",
    cure: "The relay sends it when the service accepts it. `porchlight doctor` says what prevents that.",
  });
  expect(stuckIn({ ...message, state: "unknown", reason: "no answer" })).toEqual({
    problem: "The ledger waits for a person: shop/order/7 (no answer).",
    cure: "Look it up at the service, then run `porchlight send resolve order/7 --site shop`.",
  });
});
