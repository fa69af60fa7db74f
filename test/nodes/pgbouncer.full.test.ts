import { afterAll, beforeAll, expect, it } from "vitest";
import { FLAWLESS } from "../flaws.ts";
import { startPgbouncer } from "../setup/pgbouncer.ts";
import { type Postgres, startPostgres } from "../setup/postgres.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { traffic } from "./traffic.ts";

let postgres: Postgres;
let pgbouncer: Awaited<ReturnType<typeof startPgbouncer>>;
let cluster: Cluster;
beforeAll(async () => {
  postgres = await startPostgres();
  pgbouncer = await startPgbouncer(postgres.port);
  cluster = await startCluster({ nodes: 2, redis: true, env: { DATABASE_URL: pgbouncer.url } });
});
afterAll(async () => {
  await cluster.stop();
  await pgbouncer.stop();
  await postgres.stop();
});

it("works behind PgBouncer in transaction mode", async () => {
  cluster.sendCallbacksTo(0);
  const figures = await traffic(cluster, { visitors: 10, messages: 20, nodeOf: () => 1 });
  expect(figures).toEqual({ acknowledged: 200, ...FLAWLESS });
});

it("loses, duplicates and reorders no message behind PgBouncer when the sending node is killed", async () => {
  const sender = cluster.holder();
  const other = 1 - sender;
  cluster.sendCallbacksTo(other);
  const halfway = () => cluster.kill(sender);
  const figures = await traffic(cluster, { visitors: 5, messages: 8, nodeOf: () => other, halfway });
  expect(figures).toEqual({ acknowledged: 40, ...FLAWLESS });
});
