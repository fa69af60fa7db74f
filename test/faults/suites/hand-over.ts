import { once } from "node:events";
import { request } from "node:http";
import { type Cluster, SECRET, startCluster } from "../../nodes/cluster.ts";
import type { Run } from "../../relays.ts";
import type { Common, Report } from "./suite.ts";

/** Begins a callback to a node, which keeps its connection open. @returns a function that breaks it off */
async function beginCallback(cluster: Cluster, node: number): Promise<() => void> {
  const calling = request(`${cluster.url(node)}/callbacks/reply/${SECRET}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Content-Length": "100", Expect: "100-continue" },
  });
  calling.on("error", () => {});
  calling.flushHeaders();
  await once(calling, "continue");
  return () => calling.destroy();
}

/** Stops the node that sends, and writes a message at the other one. @returns what ended first */
async function race(cluster: Cluster, sender: number): Promise<"delivered" | "stopped"> {
  const visitor = cluster.visitor(1 - sender);
  cluster.sendCallbacksTo(1 - sender);
  await visitor.connect();
  const breakOff = await beginCallback(cluster, sender);
  const stopped = cluster.end(sender);
  try {
    await visitor.send("to the other node");
    const delivered = visitor.receives("echo: to the other node");
    return await Promise.race([delivered.then(() => "delivered" as const), stopped.then(() => "stopped" as const)]);
  } finally {
    breakOff();
    await stopped;
  }
}

/**
 * S9: while the last connection of a stopping node is still open, another node delivers.
 * @param run runs each node; absent: as a process, which cuts off the connection after 7.5 s
 */
export async function handOver({ root, run }: Common & { run?: Run }): Promise<Report> {
  const cluster = await startCluster({ nodes: 2, root, ...(run && { run }) });
  try {
    const first = await race(cluster, cluster.holder());
    const violations = first === "delivered" ? [] : ["lease: a node kept its leases until its connections had ended"];
    return { figures: {}, violations };
  } finally {
    await cluster.stop();
  }
}
