import { expect, it } from "vitest";
import type { Head } from "../records/outbox.ts";
import type { Sites } from "../records/sites.ts";
import type { Outcome } from "../service/outcome.ts";
import { createCarry } from "./carry.ts";

const OK: Outcome = { kind: "ok", status: 200, message: "" };
const NOW = 1_000_000;
const headDue = (due: number): Head => ({ site: "shop", visitor: "v_1", due }) as Head;

const carryWith = (given: { blocked?: boolean; messagesPerDay?: number }) =>
  createCarry({
    clock: { now: () => NOW },
    sites: { find: () => given as unknown as ReturnType<Sites["find"]> },
    access: { refuses: () => given.blocked === true },
    deliver: async () => OK,
  });

it("delivers a message that is due", async () => {
  expect(await carryWith({ messagesPerDay: 5 })(headDue(NOW))).toEqual(OK);
});

it("refuses a message of a visitor who is blocked", async () => {
  expect(await carryWith({ blocked: true })(headDue(NOW))).toMatchObject({ kind: "permanent" });
});

it("holds a message until the day whose budget it uses", async () => {
  const later = NOW + 3_600_000;
  expect(await carryWith({ messagesPerDay: 5 })(headDue(later))).toMatchObject({ kind: "unready", waitMs: 3_600_000 });
  // After the budget is removed from the settings, nothing waits for it.
  expect(await carryWith({})(headDue(later))).toEqual(OK);
});
