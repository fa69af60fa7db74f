import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
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

/**
 * Stops the node that sends, and writes a message at the other one.
 * @param free ends what holds up the stop
 * @returns what ended first
 */
async function race(cluster: Cluster, sender: number, free: () => void): Promise<"delivered" | "stopped"> {
  const visitor = cluster.visitor(1 - sender);
  cluster.sendCallbacksTo(1 - sender);
  await visitor.connect();
  const stopped = cluster.end(sender);
  try {
    await visitor.send("to the other node");
    const delivered = visitor.receives("echo: to the other node");
    return await Promise.race([delivered.then(() => "delivered" as const), stopped.then(() => "stopped" as const)]);
  } finally {
    free();
    await stopped;
  }
}

/** `run`: runs each node; absent: as a process, which cuts off what takes too long. */
type Options = Common & { run?: Run };

/** S9: while the last connection of a stopping node is still open, another node delivers. */
export async function handOver({ root, run }: Options): Promise<Report> {
  const cluster = await startCluster({ nodes: 2, root, ...(run && { run }) });
  try {
    const sender = cluster.holder();
    const first = await race(cluster, sender, await beginCallback(cluster, sender));
    const violations = first === "delivered" ? [] : ["lease: a node kept its leases until its connections had ended"];
    return { figures: {}, violations };
  } finally {
    await cluster.stop();
  }
}

/** A part of an answer is sent at this interval (ms): without one, the relay gives up after 30 s. */
const PART_MS = 1_000;

/** A bucket that begins to answer each request, and never ends an answer. `asked`: resolves when it has got so many requests. */
async function startEndlessBucket(): Promise<{
  url: string;
  asked: (count: number) => Promise<void>;
  stop: () => void;
}> {
  const server = createServer();
  let requests = 0;
  server.on("request", (_, response) => {
    requests++;
    const parts = setInterval(() => response.write(" "), PART_MS);
    response.writeHead(200).once("close", () => clearInterval(parts));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `s3://backups?endpoint=http://127.0.0.1:${port}`,
    async asked(count) {
      while (requests < count) await once(server, "request");
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** S9: while a backup of the stopping node waits for its bucket, another node delivers. */
export async function handOverDuringBackup({ root, run }: Options): Promise<Report> {
  const bucket = await startEndlessBucket();
  const env = { BACKUP_TO: bucket.url, S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "secret" };
  const cluster = await startCluster({ nodes: 2, root, env, ...(run && { run }) });
  try {
    // Each node asks for the newest backup when it starts.
    await bucket.asked(2);
    const first = await race(cluster, cluster.holder(), bucket.stop);
    const violations = first === "delivered" ? [] : ["lease: a node kept its leases until its backup had ended"];
    return { figures: {}, violations };
  } finally {
    bucket.stop();
    await cluster.stop();
  }
}
