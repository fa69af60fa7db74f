import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../../relay/src/db/database.ts";
import { openDatabase } from "../../relay/src/db/open.ts";
import { snippet } from "../guides.ts";
import { postgresPath } from "../setup/programs.ts";
import { type Cluster, startCluster } from "./cluster.ts";

let cluster: Cluster;
const folder = mkdtempSync(join(tmpdir(), "porchlight-dump-"));
beforeAll(async () => {
  cluster = await startCluster({ nodes: 1 });
});
afterAll(async () => {
  await cluster.stop();
  rmSync(folder, { recursive: true });
});

/** The number of rows and a hash of all of them, by table. */
async function contentOf(db: Database): Promise<Record<string, unknown>> {
  const tables = await db.all<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
  );
  const content: Record<string, unknown> = {};
  for (const { name } of tables) {
    const sql = `SELECT count(*) AS rows, md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')) AS hash FROM ${name} t`;
    [content[name]] = await db.all(sql);
  }
  return content;
}

it("a dump by PostgreSQL's own tools restores every row; visitors keep their threads, and grants wait for a person", async () => {
  cluster.sendCallbacksTo(0);
  const visitor = cluster.visitor(0);
  await visitor.connect();
  const texts = Array.from({ length: 20 }, (_, n) => `message ${n}`);
  for (const text of texts) await visitor.send(text);
  await visitor.receives("echo: message 19");
  await visitor.drop();
  await cluster.end(0);

  const [from, to] = [cluster.postgres.url("postgres"), cluster.postgres.url("restored")];
  const [dumpAndRestore = "", distrustLedger = ""] = snippet("sh dump")
    .replaceAll("postgres://user:password@host:5432/restored", to)
    .split(/^(?=psql)/m);
  const env = { ...process.env, PATH: `${dirname(postgresPath("psql"))}:${process.env.PATH}`, DATABASE_URL: from };
  const run = (script: string): unknown => execFileSync("sh", ["-euc", script], { cwd: folder, env });
  const original = await openDatabase(from);
  run(dumpAndRestore);
  const restored = await openDatabase(to);
  const content = await contentOf(restored);
  expect(content).toEqual(await contentOf(original));
  expect(Object.keys(content).length).toBeGreaterThan(20);
  run(distrustLedger);

  await cluster.start(0, { DATABASE_URL: to });
  const again = cluster.visitor(0, visitor.token());
  await again.connect();
  for (const text of texts) await again.receives(`echo: ${text}`);
  expect(again.log().flatMap(({ from: author, text }) => (author === "visitor" ? [text] : []))).toEqual(texts);
  await expect
    .poll(() => restored.all("SELECT 1 AS waits FROM meta WHERE name = 'ledger.distrusted'"))
    .toEqual([{ waits: 1 }]);
  await Promise.all([original.close(), restored.close()]);
});
