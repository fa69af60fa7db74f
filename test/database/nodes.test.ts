import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomId } from "@porchlight/shared/id";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { readSettings } from "../../relay/src/base/config.ts";
import type { LogEvent } from "../../relay/src/base/log.ts";
import { checkHints } from "../../relay/src/cli/doctor.ts";
import { openDatabase } from "../../relay/src/db/open.ts";
import { openCore } from "../../relay/src/wiring/core.ts";

/** What a node does when it starts on the database of other nodes. */

const SERVICE = { SERVICE_URL: "https://service.example/v1", SERVICE_API_KEY: "key" };
let url: string;
const cleanups: (() => unknown)[] = [];
beforeEach(async () => {
  const server = inject("postgres") ?? "";
  const db = await openDatabase(server, 1);
  const name = `nodes_${randomId(12).toLowerCase()}`;
  await db.all(`CREATE DATABASE ${name}`);
  await db.close();
  url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
});
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Opens the base of a node, with a new data folder. */
async function openNode(databaseUrl = url) {
  const dataDir = mkdtempSync(join(tmpdir(), "porchlight-node-"));
  cleanups.push(() => rmSync(dataDir, { recursive: true }));
  const read = readSettings({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, ...SERVICE });
  if ("problems" in read) throw new Error(read.problems.join("\n"));
  const events: LogEvent[] = [];
  const core = await openCore(read.settings, { log: (event) => void events.push(event) });
  cleanups.push(async () => {
    await core.cluster.stop();
    await core.db.close();
  });
  const file = () => JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8")) as Record<string, string>;
  return { core, events, file };
}

it("stores the shared secrets in the data folder of each node, so that its admin token works", async () => {
  const nodes = await Promise.all([openNode(), openNode(), openNode()]);
  const [first] = nodes;
  const tokens = nodes.map(({ core, file }) => [core.adminToken, file().admin, file().signing, file().callback]);
  const { adminToken, signing, callbackSecrets } = first.core;
  expect(tokens).toEqual(nodes.map(() => [adminToken, adminToken, signing, callbackSecrets[0]]));
});

/**
 * A proxy that reports another process id than the server, as a pooler does (BackendKeyData,
 * postgresql.org/docs/current/protocol-message-formats.html).
 */
async function pooler(server: string): Promise<string> {
  const header = Buffer.from([0x4b, 0, 0, 0, 12]);
  const proxy = createServer((client) => {
    const upstream = connect(Number(new URL(server).port), "127.0.0.1");
    upstream.on("data", (data: Buffer) => {
      const at = data.indexOf(header);
      if (at >= 0) data.writeInt32BE(data.readInt32BE(at + 5) + 1, at + 5);
      client.write(data);
    });
    client.pipe(upstream);
    client.on("error", () => {}).on("close", () => upstream.destroy());
    upstream.on("error", () => {}).on("close", () => client.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  cleanups.push(() => proxy.close());
  return Object.assign(new URL(server), { host: `127.0.0.1:${(proxy.address() as AddressInfo).port}` }).href;
}

it.each([
  ["says that hints need REDIS_URL behind a pooler", true, ["cluster.pooled"], false],
  ["says that hints arrive over a direct connection", false, ["cluster.link_open"], true],
] as const)("%s", async (_, pooled, logged, ok) => {
  const { core, events } = await openNode(pooled ? await pooler(url) : url);
  expect(events.filter((event) => event.startsWith("cluster."))).toEqual(logged);
  expect(await checkHints(core)).toMatchObject([{ check: "hints between nodes", ok }]);
});
