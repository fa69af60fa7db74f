import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../relay/src/db/database.ts";
import { openSqlite } from "../../relay/src/db/sqlite.ts";
import { type Harness, startHarness } from "../harness.ts";
import { runProcess } from "../relays.ts";
import { caller, tokenFor } from "../tokens.ts";

/** Messages of a visitor whose deletion takes more than a hundred transactions. */
const MANY = 60_000;

describe("a relay that is killed", () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await startHarness({ run: runProcess });
  });
  afterEach(() => harness.stop());

  it("delivers an acknowledged message exactly once after it starts again", async () => {
    const visitor = harness.visitor();
    await visitor.connect();
    harness.sandbox.configure({ forceStatus: { incoming: 503 } });
    const written = await visitor.send("written down, not yet delivered");
    expect(written.state).toBe("sent");
    await harness.kill();
    expect(harness.sandbox.messages()).toEqual([]);

    harness.sandbox.configure({ forceStatus: {} });
    await harness.start();
    await visitor.connect();
    await visitor.receives("echo: written down, not yet delivered");
    expect(harness.sandbox.messages().map(({ body }) => body)).toEqual(["written down, not yet delivered"]);
  });

  it("delivers once although the service had the message and the relay died before the answer", async () => {
    const visitor = harness.visitor();
    await visitor.connect();
    harness.sandbox.failNext("incoming", 1, { kind: "hangRequest", when: "after" });
    await visitor.send("received but not confirmed");
    await harness.sandbox.until((sandbox) => sandbox.messages().length === 1);
    await harness.kill();
    await harness.start();
    await visitor.connect();
    await visitor.sees((message) => message.from === "visitor" && message.state === "delivered");
    expect(harness.sandbox.messages()).toHaveLength(1);
    const [first, second, ...more] = harness.sandbox.requests();
    expect(second?.body).toEqual(first?.body);
    expect(more).toEqual([]);
  });

  it("keeps every reply that it answered with 200, in order", async () => {
    const visitor = harness.visitor();
    await visitor.greet();
    await visitor.drop();
    const { fromId = "" } = harness.sandbox.messages()[0] ?? {};
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, n) => harness.sandbox.humanReply({ fromId, body: `reply ${n}` })),
    );
    await harness.kill();
    await harness.start();
    await visitor.connect();
    const kept = sent.filter(({ status }) => status === "Sent").map(({ body }) => body);
    await visitor.receives(kept.at(-1) ?? "");
    expect(visitor.log().flatMap(({ from, text }) => (from === "reply" ? [text] : []))).toEqual([
      "echo: hello",
      ...kept,
    ]);
  });

  /** Uses the relay's database from this process. */
  async function withDatabase<T>(use: (db: Database) => Promise<T>): Promise<T> {
    const db = openSqlite(join(harness.dataDir, "porchlight.db"));
    return use(db).finally(db.close);
  }
  const countOf = async (db: Database, table: string): Promise<number> =>
    (await db.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n ?? 0;

  /** A visitor with a very long thread. @returns the visitor's id */
  async function longThread(): Promise<string> {
    const visitor = harness.visitor();
    await visitor.greet();
    const { fromId = "" } = harness.sandbox.messages()[0] ?? {};
    await harness.halt();
    await withDatabase(async (db) => {
      const { head = 0 } = (await db.all<{ head: number }>("SELECT head FROM visitors WHERE id = $1", fromId))[0] ?? {};
      const rows = Array.from({ length: MANY }, (_, n) => [fromId, head + 1 + n, `m-${n}`]);
      await db.runEach(
        "INSERT INTO messages (visitor, pos, n, id, author, at, text) VALUES ($1, $2, $2, $3, 'visitor', 1, 'hello')",
        rows,
      );
      await db.run("UPDATE visitors SET head = $2 WHERE id = $1", fromId, head + MANY);
    });
    await harness.start();
    return fromId;
  }

  it("continues a deletion after its next start, without a second request", async () => {
    const id = await longThread();
    const call = caller(harness, await tokenFor(harness));
    const request = call("DELETE", `/visitors/${id}`, undefined, "erase-1").catch((error: unknown) => error);
    await withDatabase(async (db) => {
      const parts = async () => (await db.all<{ parts: number }>("SELECT parts FROM deletions"))[0]?.parts ?? 0;
      await expect.poll(parts, { interval: 5 }).toBeGreaterThanOrEqual(3);
    });
    await harness.kill();
    expect(await request).toBeInstanceOf(Error);
    const left = await withDatabase((db) => countOf(db, "messages"));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(MANY);

    await harness.start();
    await expect.poll(async () => (await call("GET", `/visitors/${id}`)).status).toBe(404);
    const tables = ["messages", "outbox", "tries", "deletions"];
    const rows = await withDatabase((db) => Promise.all(tables.map((table) => countOf(db, table))));
    expect(rows).toEqual([0, 0, 0, 0]);
    const audit = await withDatabase((db) => db.all("SELECT action FROM audit WHERE subject = $1", id));
    expect(audit).toEqual([{ action: "finish interrupted deletion" }]);
  });
});
