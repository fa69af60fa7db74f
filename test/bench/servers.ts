/**
 * What is measured, each in a process of its own: `node servers.ts floor|relay`. The floor is the least that can do the
 * same job: a bare `ws` server, bare `node:http`, a keep-alive pool, no store, no checks. Says its port as a JSON line;
 * answers `rss` on its standard input with its memory in bytes, after a collection.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Pool } from "undici";
import { type WebSocket, WebSocketServer } from "ws";

export const SECRET = "a-callback-secret-for-benchmarks";
export const ORIGIN = "https://shop.example";

/** visitor → service → callback → visitor, and nothing else. */
async function floor(service: string): Promise<number> {
  const pool = new Pool(service, { connections: 64, pipelining: 1 });
  const sockets = new Map<string, WebSocket>();
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      const { toId, body: text } = JSON.parse(body) as { toId: string; body: string };
      sockets.get(toId)?.send(JSON.stringify({ t: "message", message: { from: "reply", text } }));
      response.setHeader("content-type", "application/json");
      response.end('{"success":true}');
    });
  });
  const acceptor = new WebSocketServer({ server, perMessageDeflate: false });
  acceptor.on("connection", (socket) => {
    const id = randomBytes(16).toString("hex");
    sockets.set(id, socket);
    socket.on("close", () => sockets.delete(id));
    socket.on("message", async (data) => {
      const frame = JSON.parse(String(data)) as { t: string; text: string };
      if (frame.t === "hello") return socket.send('{"t":"welcome"}');
      const answer = await pool.request({
        method: "POST",
        path: "/v1/incoming_custom_channel_message?apiKey=key",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          customData: { messageSid: randomBytes(8).toString("hex"), fromId: id, toId: "x", body: frame.text },
        }),
      });
      await answer.body.dump();
      socket.send(JSON.stringify({ t: "message", message: { from: "visitor" } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** The relay as it is shipped: SQLite file, synchronous=FULL, acknowledged after the commit. */
async function relay(service: string): Promise<number> {
  const { readSettings } = await import("../../relay/src/base/config.ts");
  const { createRelay } = await import("../../relay/src/relay.ts");
  const folder = mkdtempSync(join(tmpdir(), "porchlight-bench-"));
  const config = join(folder, "config.json");
  const site = { account: "bench", origins: [ORIGIN] };
  // The account's rate is the service's limit, not ours: it must not be what is measured.
  const account = { url: `${service}/v1`, key: "env:KEY", rate: 100_000 };
  writeFileSync(config, JSON.stringify({ accounts: { bench: account }, sites: { default: site } }));
  const env = {
    PORT: "0",
    HOST: "127.0.0.1",
    KEY: "key",
    PORCHLIGHT_CONFIG: config,
    DATA_DIR: folder,
    CALLBACK_SECRET: SECRET,
    LOG_LEVEL: "silent",
    MESSAGES_PER_MINUTE: "0",
    SOCKETS_PER_ADDRESS: "0",
  };
  const read = readSettings(env);
  if ("problems" in read) throw new Error(read.problems.join("\n"));
  return (await createRelay(read.settings)).port;
}

if (import.meta.main) {
  const [kind, service = ""] = process.argv.slice(2);
  const port = kind === "relay" ? await relay(service) : await floor(service);
  console.log(JSON.stringify({ port }));
  const commands = createInterface(process.stdin);
  // Whoever started this is gone.
  commands.on("close", () => process.exit());
  commands.on("line", () => {
    (globalThis as { gc?: () => void }).gc?.();
    const { rss } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    console.log(JSON.stringify({ rss, cpu: user + system }));
  });
}
