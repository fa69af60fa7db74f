import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ManualClock, manualClock } from "../../base/clock.fixture.ts";
import type { Site } from "../../base/config.ts";
import { createBus } from "../../bus/bus.ts";
import { openTestDatabase } from "../../db/database.fixture.ts";
import type { Database } from "../../db/database.ts";
import { migrate } from "../../db/migrate.ts";
import { laneHead, removeOutboxEntries } from "../../records/outbox.ts";
import { budgetName, usedOn } from "../../records/quotas.ts";
import { markMessage } from "../../records/threads.ts";
import { createSend, type Send } from "./send.ts";

const HORIZON = 12 * 3_600_000;
const DAY = 86_400_000;
const TODAY = Date.UTC(2026, 10, 21);
const DAYS = ["2026-11-21", "2026-11-22", "2026-11-23", "2026-11-24"];

/** A site with this budget; undefined: none. */
const siteOf = (id: string, messagesPerDay?: number): Site => ({
  account: "main",
  origins: ["https://shop.example"],
  channel: "website",
  business: "default",
  campaign: undefined,
  public: { ...DEFAULT_SITE, id },
  ...(messagesPerDay !== undefined && { messagesPerDay }),
});

let db: Database;
let clock: ManualClock;
let send: Send;
let released: string[];
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  clock = manualClock(TODAY + 3_600_000);
  released = [];
  const onReleased = ({ public: { id } }: Site): void => void released.push(id);
  send = createSend({ db, bus: createBus(), clock, horizon: HORIZON, wake: () => {}, onReleased });
});
afterEach(() => db.close());

/** Sends texts one after the other. The first letter of a text names its visitor. */
async function write(site: Site, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    clock.skip(1_000);
    await send.send(text.charAt(0), site, { id: `id-${text}`, text });
  }
}

/** Marks the first message of a visitor as failed. */
const failFirst = (visitor: string): Promise<void> =>
  db.transaction(async (tx) => {
    const head = await laneHead(tx, visitor);
    if (head !== undefined) await removeOutboxEntries(tx, [head]);
    await markMessage(tx, visitor, 1, "failed", "rejected");
  });

/** The waiting texts of each day, in the order in which they were written. */
async function plan(): Promise<string[]> {
  const rows = await db.all<{ text: string; due: number; expires: number }>(
    "SELECT m.text, o.due, o.expires FROM outbox o JOIN messages m ON m.visitor = o.visitor AND m.pos = o.pos ORDER BY m.at",
  );
  const days: string[][] = DAYS.map(() => []);
  for (const { text, due, expires } of rows) {
    expect(expires - due).toBe(HORIZON);
    days[Math.floor((due - TODAY) / DAY)]?.push(text);
  }
  return days.map((texts) => texts.join(" "));
}

const used = (site: string): Promise<number[]> => Promise.all(DAYS.map((day) => usedOn(db, budgetName(site), day)));

describe("messages that wait for another day's budget", () => {
  it("leave in order, as far as a raised budget allows, and all of them without one; a lowered budget changes nothing", async () => {
    await write(siteOf("shop", 2), "a1", "b1", "a2", "b2", "a3", "b3");
    expect([await plan(), await used("shop"), send.isHeld("shop")]).toEqual([
      ["a1 b1", "a2 b2", "a3 b3", ""],
      [2, 2, 2, 0],
      true,
    ]);
    await send.release([siteOf("shop", 3)]);
    const raised = [
      ["a1 b1 a2", "b2 a3 b3", "", ""],
      [3, 3, 0, 0],
    ];
    expect([await plan(), await used("shop")]).toEqual(raised);
    await send.release([siteOf("shop", 1)]);
    expect([await plan(), await used("shop")]).toEqual(raised);
    expect([send.isHeld("shop"), released]).toEqual([true, []]);
    await send.release([siteOf("shop")]);
    expect([await plan(), await used("shop")]).toEqual([
      ["a1 b1 a2 b2 a3 b3", "", "", ""],
      [6, 0, 0, 0],
    ]);
    expect([send.isHeld("shop"), released]).toEqual([false, ["shop"]]);
  });

  it("leave by hundreds, and the rest keeps its day", async () => {
    const texts = Array.from({ length: 1_300 }, (_, n) => `${"abc".charAt(n % 3)}${n}`);
    await Promise.all(texts.map((text) => send.send(text.charAt(0), siteOf("shop", 700), { id: `id-${text}`, text })));
    expect(await used("shop")).toEqual([700, 600, 0, 0]);
    await send.release([siteOf("shop", 1_250)]);
    expect(await used("shop")).toEqual([1_250, 50, 0, 0]);
    await send.release([siteOf("shop", 2_000)]);
    expect([await used("shop"), send.isHeld("shop")]).toEqual([[1_300, 0, 0, 0], false]);
  });

  it("do not leave with the budget of another site", async () => {
    await write(siteOf("shop", 1), "a1", "a2");
    await write(siteOf("other", 1), "b1", "b2");
    await send.release([siteOf("shop", 9), siteOf("other", 1)]);
    expect([await plan(), released]).toEqual([["a1 a2 b1", "b2", "", ""], ["shop"]]);
    expect([await used("shop"), await used("other")]).toEqual([
      [2, 0, 0, 0],
      [1, 1, 0, 0],
    ]);
  });

  it("leave in the order of their lane, also when one was sent again that is older than the others", async () => {
    await write(siteOf("shop"), "a-failed");
    await failFirst("a");
    const full = siteOf("shop", 2);
    await write(full, "b1", "b2", "a1");
    await send.retry("a", full, "id-a-failed");
    expect(await plan()).toEqual(["b1 b2", "a-failed a1", "", ""]);
    await send.release([siteOf("shop", 3)]);
    expect(await plan()).toEqual(["b1 b2 a1", "a-failed", "", ""]);
  });

  it("leave no room for Retry once the budget of a whole week is used up: then Retry changes nothing", async () => {
    await write(siteOf("shop"), "a-failed");
    await failFirst("a");
    const full = siteOf("shop", 1);
    await write(full, "b1", "b2", "b3", "b4", "b5", "b6", "b7");
    const rows = () => db.all("SELECT visitor, pos, state, sid FROM messages ORDER BY visitor, pos");
    const before = await rows();
    expect(await send.retry("a", full, "id-a-failed")).toBe("full");
    expect(await rows()).toEqual(before);
    expect(await plan()).toEqual(["b1", "b2", "b3", "b4"]);
    expect(
      await db.all("SELECT max(used) AS most, count(*) AS days FROM quotas WHERE name = $1", budgetName("shop")),
    ).toEqual([{ most: 1, days: 7 }]);
    expect(await send.retry("a", siteOf("shop", 2), "id-a-failed")).toMatchObject({ id: "id-a-failed" });
  });

  it("delay the site's messages also when the only one is sent again", async () => {
    await write(siteOf("shop"), "a-failed");
    await failFirst("a");
    const full = siteOf("shop", 1);
    await write(full, "b1");
    expect(send.isHeld("shop")).toBe(false);
    await send.retry("a", full, "id-a-failed");
    expect([await plan(), send.isHeld("shop")]).toEqual([["b1", "a-failed", "", ""], true]);
    await send.release([siteOf("shop", 2)]);
    expect([send.isHeld("shop"), released]).toEqual([false, ["shop"]]);
  });

  it("stay when the service was called already: such a message waits as long as the service demands", async () => {
    await write(siteOf("shop", 5), "a1");
    await db.run("UPDATE outbox SET due = $1, expires = $2, attempts = 1", TODAY + DAY, TODAY + DAY + HORIZON);
    await send.release([siteOf("shop", 9)]);
    expect(await plan()).toEqual(["", "a1", "", ""]);
  });
});
