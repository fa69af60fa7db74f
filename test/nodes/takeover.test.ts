import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../../relay/src/db/database.ts";
import { openPostgres } from "../../relay/src/db/postgres.ts";
import { type Cluster, startCluster } from "./cluster.ts";

let cluster: Cluster;
let db: Database;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 2 });
  db = await openPostgres(cluster.databaseUrl);
});
afterAll(async () => {
  await db.close();
  await cluster.stop();
});

/** Seconds that the service tells a node to wait: a takeover takes four, and a busy machine stores the pace later. */
const RETRY_AFTER_S = 20;

/** Refusals in the pace that a node stored last. */
async function storedRefusals(): Promise<number> {
  const [row] = await db.all<{ pace: string }>("SELECT pace FROM leases WHERE pace IS NOT NULL");
  return row === undefined ? 0 : (JSON.parse(row.pace) as { refusals: number }).refusals;
}

it("a node that takes over waits as long as the service demanded of the killed node", async () => {
  const { sandbox } = cluster;
  const sender = cluster.holder();
  cluster.sendCallbacksTo(1 - sender);
  const visitor = cluster.visitor(1 - sender);
  await visitor.connect();
  sandbox.failNext("incoming", 1, { kind: "status", status: 429, headers: { "Retry-After": String(RETRY_AFTER_S) } });
  await visitor.send("refused once");
  await expect.poll(storedRefusals).toBe(1);
  await cluster.kill(sender);
  await visitor.receives("echo: refused once");
  const [refused, delivered] = sandbox.requests().filter(({ route }) => route === "incoming");
  expect([cluster.holder(), refused?.status, delivered?.status]).toEqual([1 - sender, 429, 200]);
  expect((delivered?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(RETRY_AFTER_S * 1_000);
});
