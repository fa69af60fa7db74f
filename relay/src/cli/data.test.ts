import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { migrate } from "../db/migrate.ts";
import { openSqlite } from "../db/sqlite.ts";
import { addDeletion } from "../records/deletions.ts";
import { addVisitor, forgetVisitor } from "../records/visitors.ts";
import { runOn } from "./commands.ts";
import type { CommandContext } from "./context.ts";

const IDS = ["v_1", "v_2", "v_3"];
const db = openSqlite(":memory:");
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "porchlight-export-"));
  await migrate(db);
  for (const id of IDS) await addVisitor(db, id, "shop", 1);
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await db.close();
});

it("says which visitors of an export are incomplete, because a deletion has begun or has ended meanwhile", async () => {
  const site = () => ({ public: { id: "shop" }, account: "default" });
  const deleted = async <Row>(...given: Parameters<typeof db.all>): Promise<Row[]> => {
    const rows = await db.all<Row>(...given);
    if (given[0].includes('AS "firstName"')) await forgetVisitor(db, "v_2", 2);
    return rows;
  };
  const context = { db: { ...db, all: deleted }, site, clock: { now: () => 7 }, settings: {} };
  await addDeletion(db, { visitor: "v_3", begun: 1, staleBefore: undefined });
  const file = join(folder, "shop.jsonl");
  const { code, lines } = await runOn(context as unknown as CommandContext, ["export", file]);
  expect(code).toBe(3);
  expect(lines[1]).toContain("2 visitors incomplete");
  const records = readFileSync(file, "utf8").trim().split("\n");
  const written = records.map((record) => JSON.parse(record) as { record: string; visitor?: string });
  expect(written.filter(({ record }) => record === "incomplete").map(({ visitor }) => visitor)).toEqual(["v_3", "v_2"]);
});
