import { expect, it } from "vitest";
import type { LaneHead } from "../records/outbox.ts";
import type { Sites } from "../records/sites.ts";
import type { Outcome } from "../service/outcome.ts";
import { createDeliver } from "./deliver.ts";

const OK: Outcome = { kind: "ok", status: 200, message: "" };
const NOW = 1_000_000;
const headDue = (due: number): LaneHead => ({ site: "shop", visitor: "v_1", due }) as LaneHead;

const deliverWith = (site: { blocked?: boolean; messagesPerDay?: number }) =>
  createDeliver({
    clock: { now: () => NOW },
    sites: { find: () => site as unknown as ReturnType<Sites["find"]> },
    access: { isBlocked: () => site.blocked === true },
    send: async () => OK,
  });

it("delivers a message that is due", async () => {
  expect(await deliverWith({ messagesPerDay: 5 })(headDue(NOW))).toEqual(OK);
});

it("refuses a message of a visitor who is blocked", async () => {
  expect(await deliverWith({ blocked: true })(headDue(NOW))).toMatchObject({ kind: "permanent" });
});

it("holds a message until the day whose budget it uses", async () => {
  const later = NOW + 3_600_000;
  expect(await deliverWith({ messagesPerDay: 5 })(headDue(later))).toMatchObject({
    kind: "unready",
    waitMs: 3_600_000,
  });
  // After the budget is removed from the settings, nothing waits for it.
  expect(await deliverWith({})(headDue(later))).toEqual(OK);
});
