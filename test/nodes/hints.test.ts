import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cluster, startCluster } from "./cluster.ts";
import { FLAWLESS, traffic } from "./traffic.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 2 });
});
afterAll(() => cluster.stop());

it("brings hints to other nodes by PostgreSQL where there is no Redis", async () => {
  cluster.sendCallbacksTo(0);
  const figures = await traffic(cluster, { visitors: 5, messages: 8, nodeOf: () => 1 });
  expect(figures).toEqual({ acknowledged: 40, ...FLAWLESS });
});

it("keeps the sessions of a visitor on every node", async () => {
  const visitor = cluster.visitor(0);
  await visitor.connect();
  await visitor.send("Hello");
  const elsewhere = cluster.visitor(1, visitor.token());
  const welcome = await elsewhere.connect();
  await elsewhere.hears("echo: Hello");
  expect(welcome.reset).toBe(true);
});
