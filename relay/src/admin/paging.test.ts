import { afterEach, beforeEach, expect, it } from "vitest";
import type { Clock } from "../base/clock.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { addAudit } from "../records/operators.ts";
import { conversations } from "./conversations.ts";
import { deliveries } from "./deliveries.ts";
import { pagedTable, skipOf } from "./html.ts";
import { ledger } from "./ledger.ts";
import { audit } from "./lists.ts";

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

/** Stores `count` visitors with one message each. Visitor `n` wrote at second `n`. */
async function messages(name: string, state: "failed" | "sent", count: number): Promise<void> {
  await db.transaction(async (tx) => {
    for (let n = 0; n < count; n++) {
      const visitor = `${name}${n}`;
      await tx.run("INSERT INTO visitors (id, site, created, head) VALUES ($1, 'default', 1, 1)", visitor);
      await tx.run(
        `INSERT INTO messages (visitor, pos, n, id, author, at, text, state, sid)
         VALUES ($1, 1, 1, $2, 'visitor', $3, $4, $5, $2)`,
        ...[visitor, `m${visitor}`, n * 1_000, `text of ${visitor}`, state],
      );
      if (state === "sent")
        await tx.run(
          `INSERT INTO outbox (visitor, turn, pos, account, due, expires) VALUES ($1, 1, 1, 'default', $2, $2)`,
          ...[visitor, n * 1_000],
        );
    }
  });
}

const page = async (query: { failed?: number; waiting?: number; site?: string }): Promise<string> => {
  const view = { token: "t", note: "" as const, mayAct: true, site: query.site ?? null };
  const sites = { all: [{}] } as unknown as Parameters<typeof deliveries>[0]["sites"];
  return String(await deliveries({ db, sites }, { ...view, failed: query.failed ?? 0, waiting: query.waiting ?? 0 }));
};

it("shows the newest failed messages and the oldest waiting ones, and links the pages of each list", async () => {
  await messages("failed", "failed", 230);
  await messages("waiting", "sent", 3);
  const first = await page({});
  expect(first.match(/text of failed\d+</g)?.slice(0, 2)).toEqual(["text of failed229<", "text of failed228<"]);
  expect(first.match(/text of waiting\d+</g)).toEqual(["text of waiting0<", "text of waiting1<", "text of waiting2<"]);
  expect(first).toContain("1 to 100");
  expect(first).toContain('href="?failed=100&amp;waiting=0">Next 100');
  const last = await page({ failed: 200 });
  expect(last.match(/text of failed\d+</g)).toHaveLength(30);
  expect(last).toContain("201 to 230");
  expect(last).toContain('href="?failed=100&amp;waiting=0">Previous 100');
  expect(last).not.toContain("Next 100");
  expect(await page({ site: "another" })).toContain("Nothing waits, and nothing failed.");
});

it("lists conversations by the time of their newest message, which the index of visitors may not have yet", async () => {
  for (const [id, active, at] of [
    ["earlier", 20, 25],
    ["later", 18, 29],
  ] as const) {
    await messages(id, "failed", 1);
    await db.run("UPDATE visitors SET active = $2 WHERE id = $1", `${id}0`, active);
    await db.run("UPDATE messages SET at = $2 WHERE visitor = $1", `${id}0`, at);
  }
  const clock = { uptime: () => 0 } as unknown as Clock;
  const query = { words: "", site: "", state: "", after: undefined };
  const shown = String(await conversations({ db, clock, sites: ["default"] }, query));
  expect(shown.match(/text of \w+(?=<)/g)).toEqual(["text of later0", "text of earlier0"]);
});

it("answers a search with NUL in any criterion: a filter with NUL matches nothing", async () => {
  await messages("v", "failed", 1);
  const clock = { uptime: () => 0 } as unknown as Clock;
  const all = { words: "", site: "", state: "", after: undefined };
  const search = (some: Partial<Parameters<typeof conversations>[1]>) =>
    conversations({ db, clock, sites: ["default"] }, { ...all, ...some }).then(String);
  expect(await search({})).toContain("text of v0<");
  for (const some of [{ words: "text\0" }, { words: "te xt\0" }, { site: "\0" }, { state: "\0" }])
    expect(await search(some), JSON.stringify(some)).toContain("No conversation matches.");
  expect(await search({ after: { active: 1e15, id: "\0" } })).toContain("text of v0<");
});

it("a search ends after 1.5 seconds, or after 8 while it has found nothing; a link continues it", async () => {
  // Two slices: the word is in the first one.
  await messages("v", "failed", 600);
  let slices = 0;
  const search = (words: string, seconds: number) => {
    slices = 0;
    const clock = { uptime: () => slices++ * seconds * 1_000 } as unknown as Clock;
    return conversations({ db, clock, sites: ["default"] }, { words, site: "", state: "", after: undefined }).then(
      String,
    );
  };
  const found = await search("text of v599", 2);
  expect(found).toContain("text of v599<");
  expect(found).toContain(">Continue the search</a>");
  expect(await search("text of v599", 1)).not.toContain("Continue the search");
  expect(await search("a missing word", 2)).toContain("No conversation matches.");
  expect(await search("a missing word", 9)).toMatch(/Nothing found so far\.[\s\S]*>Continue the search<\/a>/);
});

it("shows every grant that waits for a decision, however many newer ones there are", async () => {
  const grant = (key: string, state: string, created: number) =>
    db.run(
      `INSERT INTO ledger (kind, account, key, lane, digest, content, state, due, created, changed)
       VALUES ('grant', 'default', $1, $1, '', '{"email":"client@agency.example","amount":5}', $2, 0, $3, $3)`,
      ...[key, state, created],
    );
  await grant("must-decide", "unknown", 1);
  for (let n = 0; n < 150; n++) await grant(`granted-${n}`, "done", 2 + n);
  const deps = { db, settings: { accounts: [{ id: "default" }] } } as unknown as Parameters<typeof ledger>[0];
  const first = String(await ledger(deps, "t", "", { grants: 0, messages: 0 }));
  expect(first).toContain("Reason for must-decide");
  expect(first).toContain("granted-149");
  expect(first).not.toContain("granted-49");
  expect(first).toContain('href="?grants=100&amp;messages=0">Next 100');
  const second = String(await ledger(deps, "t", "", { grants: 100, messages: 0 }));
  expect(second).toContain("granted-49");
  expect(second).toContain("101 to 151");
});

it("pages through the audit log", async () => {
  await db.transaction(async (tx) => {
    for (let n = 0; n < 130; n++) await addAudit(tx, { at: n, actor: "admin", action: "test", subject: `entry ${n}.` });
  });
  expect(String(await audit({ db, skip: 0 }))).toContain("entry 30.");
  expect(String(await audit({ db, skip: 0 }))).not.toContain("entry 29.");
  expect(String(await audit({ db, skip: 100 }))).toContain("entry 0.");
});

it("treats anything but a positive whole number as the first page, and shows where a list ends", () => {
  expect([undefined, "", "-5", "1.5", "x", "100"].map(skipOf)).toEqual([0, 0, 0, 0, 0, 100]);
  expect(skipOf("1e300")).toBe(0);
  expect(skipOf("900000000")).toBe(10_000);
  const beyond = String(pagedTable({ name: "skip", skip: 300 }, "Things", ["Thing"], [], "No things yet."));
  expect(beyond).toContain("No further entries.");
  expect(beyond).toContain('href="?skip=200"');
});
