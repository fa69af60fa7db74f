import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mutantsFolder } from "../faults/mutants/changed-sources.ts";
import { FLAWLESS } from "../flaws.ts";
import { NEWER, newerVersion } from "../newer-version.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { traffic } from "./traffic.ts";

let cluster: Cluster;
let newer: string;
beforeAll(async () => {
  newer = newerVersion();
  cluster = await startCluster({ nodes: 2, redis: true });
});
afterAll(async () => {
  await cluster.stop();
  rmSync(mutantsFolder("relay"), { recursive: true, force: true });
});

const onBoth = { visitors: 6, messages: 20, nodeOf: (who: number) => who % 2 };

it("loses, duplicates and reorders no message while a newer version replaces one node and changes the schema", async () => {
  cluster.sendCallbacksTo(0);
  const halfway = async (): Promise<void> => {
    await cluster.end(1);
    await cluster.start(1, {}, newer);
  };
  expect(await traffic(cluster, { ...onBoth, halfway })).toEqual({ acknowledged: 120, ...FLAWLESS });
});

it("runs both versions in parallel: each can receive callbacks and deliver messages", async () => {
  for (const node of [0, 1]) {
    cluster.sendCallbacksTo(node);
    expect(await traffic(cluster, onBoth)).toEqual({ acknowledged: 120, ...FLAWLESS });
  }
  // The lease moves to the other version.
  const sender = cluster.holder();
  cluster.sendCallbacksTo(1 - sender);
  await cluster.end(sender);
  const other = { ...onBoth, nodeOf: () => 1 - sender };
  expect(await traffic(cluster, other)).toEqual({ acknowledged: 120, ...FLAWLESS });
  if (sender === 1) await cluster.start(1, {}, newer);
});

it("refuses to start the older version again, in one sentence", async () => {
  await cluster.end(0).catch(() => {});
  await expect(cluster.start(0)).rejects.toThrow(`a newer Porchlight wrote this database (schema ${NEWER},`);
  await cluster.start(0, {}, newer);
  cluster.sendCallbacksTo(0);
  expect(await traffic(cluster, onBoth)).toEqual({ acknowledged: 120, ...FLAWLESS });
});
