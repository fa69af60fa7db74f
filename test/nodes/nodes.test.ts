import { afterAll, beforeAll, expect, it } from "vitest";
import { FLAWLESS } from "../flaws.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { traffic } from "./traffic.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 2, redis: true });
});
afterAll(() => cluster.stop());

it("sends replies that arrive at one node to the visitors of the other, once and in order", async () => {
  cluster.sendCallbacksTo(0);
  const figures = await traffic(cluster, { visitors: 5, messages: 8, nodeOf: () => 1 });
  expect(figures).toEqual({ acknowledged: 40, ...FLAWLESS });
});

it("loses, duplicates and reorders no message when the sending node is killed", async () => {
  const sender = cluster.holder();
  const other = 1 - sender;
  cluster.sendCallbacksTo(other);
  const halfway = () => cluster.kill(sender);
  const figures = await traffic(cluster, { visitors: 5, messages: 8, nodeOf: () => other, halfway });
  await cluster.start(sender);
  expect(figures).toEqual({ acknowledged: 40, ...FLAWLESS });
});

it("loses, duplicates and reorders no message when the sending node is paused past its lease and resumes", async () => {
  const sender = cluster.holder();
  const other = 1 - sender;
  cluster.sendCallbacksTo(other);
  const halfway = async (): Promise<void> => cluster.signal(sender, "SIGSTOP");
  const figures = await traffic(cluster, { visitors: 5, messages: 8, nodeOf: () => other, halfway });
  cluster.signal(sender, "SIGCONT");
  expect(cluster.holder()).toBe(other);
  expect(figures).toEqual({ acknowledged: 40, ...FLAWLESS });
  // The resumed node works: its visitors are served.
  const after = await traffic(cluster, { visitors: 2, messages: 3, nodeOf: () => sender });
  expect(after).toEqual({ acknowledged: 6, ...FLAWLESS });
});

it("loses, duplicates and reorders no message when PostgreSQL is killed and restarted", async () => {
  cluster.sendCallbacksTo(0);
  const halfway = async (): Promise<void> => {
    await cluster.postgres.kill();
    await cluster.postgres.start();
  };
  const figures = await traffic(cluster, { visitors: 5, messages: 8, nodeOf: (who) => who % 2, halfway });
  expect(figures).toEqual({ acknowledged: 40, ...FLAWLESS });
});

it("finds changes without hints: Redis is killed and stays down", async () => {
  cluster.sendCallbacksTo(0);
  const halfway = async (): Promise<void> => cluster.redis?.kill();
  const figures = await traffic(cluster, { visitors: 5, messages: 8, nodeOf: () => 1, halfway });
  expect(figures).toEqual({ acknowledged: 40, ...FLAWLESS });
});
