import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { accountLease, CHORES_LEASE } from "../db/lease-names.ts";
import { migrate } from "../db/migrate.ts";
import { ACCOUNT_ALERT, raiseAlert } from "../records/alerts.ts";
import { addOutboxEntry } from "../records/outbox.ts";
import { appendSent, numbersOf } from "../records/threads.ts";
import { addVisitor } from "../records/visitors.ts";
import { checksOf, stuckIn } from "./alerts.ts";

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

describe("where two nodes share the leases", () => {
  const HOUR = 3_600_000;
  let db: Database;
  beforeEach(async () => {
    db = await openTestDatabase();
    await migrate(db);
  });
  afterEach(() => db.close());

  /** A check of the node that holds these leases. The other node calls the service for `main`. */
  function checkOf(kind: string, leases: readonly string[]) {
    const core = {
      db,
      clock: manualClock(HOUR),
      settings: { accounts: [{ id: "main" }], horizon: HOUR },
      cluster: { leases: { holds: (name: string) => leases.includes(name) } },
    };
    const checks = checksOf(core as never, { heldFor: () => undefined } as never, undefined);
    return checks.find((check) => check.kind === kind);
  }

  it("raises no second alert for messages that wait because the service refuses their account", async () => {
    const rest = { reaction: null, reaction_sid: null, attempts: 1, due: HOUR, expires: HOUR };
    await db.transaction(async (tx) => {
      await addVisitor(tx, "v", "shop", 0);
      const numbers = await numbersOf(tx, ["v"]);
      await appendSent(tx, numbers, [{ visitor: "v", id: "m", text: "hello", at: 0, sid: "pl_1" }]);
      await numbers.write(tx);
      await addOutboxEntry(tx, { visitor: "v", turn: 1, pos: 1, account: "main", ...rest });
    });
    const check = checkOf("waiting", [CHORES_LEASE]);
    expect(await check?.find()).toMatchObject([{ kind: "waiting" }]);
    const refused = { kind: ACCOUNT_ALERT, subject: "main", problem: "refused", cure: "", since: 0, unsentTo: "" };
    await db.transaction((tx) => raiseAlert(tx, refused));
    expect(await check?.find()).toEqual([]);
  });

  it("ends the alert of an account that the settings no longer have, on the node with the daily jobs", () => {
    const owners = (account: string) =>
      [CHORES_LEASE, accountLease("main")].filter((lease) => checkOf(ACCOUNT_ALERT, [lease])?.owns(account));
    expect(owners("main")).toEqual([accountLease("main")]);
    expect(owners("removed")).toEqual([CHORES_LEASE]);
  });
});
