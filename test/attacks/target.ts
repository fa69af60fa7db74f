import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { startRelay } from "../faults/process/relay.ts";

const RELAY = join(import.meta.dirname, "..", "..", "relay", "src");
export const ORIGIN = "https://shop.example";
/** A whole request for a WebSocket. */
export const UPGRADE =
  `GET /socket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
  `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: ${ORIGIN}\r\n\r\n`;

const LIMIT_BYTES = 512 * 1024 * 1024;
/** Control groups that limit the memory of processes: version 2, then version 1. */
const GROUPS = [
  { folder: "/sys/fs/cgroup", limit: "memory.max", needs: "cgroup.controllers" },
  { folder: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes", needs: "memory.limit_in_bytes" },
] as const;

/** The attackers' address. It differs from the honest visitors' address, for relays without a proxy in front. */
const ATTACKER = "127.0.0.66";

/** A limit that ends a process that takes more than 512 MB, like a container of that size. */
type Limit = {
  /** Runs a command within the limit. */
  wrapper: readonly string[];
  kind: "control group" | "heap limit";
  /** Call this when the process has ended. */
  remove: () => void;
};

/** Creates a control group if this machine allows it; otherwise only the limit of the heap applies. */
function limitMemory(): Limit {
  for (const { folder, limit, needs } of GROUPS) {
    const group = join(folder, `porchlight-${process.pid}-${Date.now()}`);
    try {
      if (!existsSync(join(folder, needs))) continue;
      mkdirSync(group);
      writeFileSync(join(group, limit), String(LIMIT_BYTES));
      const enter = `echo $$ > ${join(group, "cgroup.procs")} && exec "$@"`;
      return { wrapper: ["sh", "-c", enter, "sh"], kind: "control group", remove: () => rmdirSync(group) };
    } catch {
      if (existsSync(group)) rmdirSync(group);
    }
  }
  return { wrapper: [], kind: "heap limit", remove: () => {} };
}

/** A relay in its own process, with default settings, behind one trusted proxy. */
export type Target = {
  port: number;
  url: string;
  /** The kind of memory limit. */
  limit: Limit["kind"];
  /** Largest resident memory since the start, in megabytes. */
  peak: () => number;
  /**
   * Opens a raw connection from the attackers' address or another address of this machine. Its errors are ignored.
   * `allowHalfOpen`: it stays open when the relay has ended its side.
   */
  raw: (localAddress?: string, options?: { allowHalfOpen?: boolean }) => Promise<Socket>;
  /** An open WebSocket. `address`: the client's address as the proxy reports it. */
  socket: (address?: string) => Promise<WebSocket>;
  /** An open WebSocket that has received its `welcome`. */
  visitor: (address?: string) => Promise<WebSocket>;
  /** The session token of a new visitor. */
  token: (address: string) => Promise<string>;
  /** Milliseconds until a message of an honest visitor, from another address, is acknowledged. */
  honest: () => Promise<number>;
  stop: () => Promise<void>;
};

/** Starts a relay whose service does not answer, so that messages wait. */
export async function startTarget(env: Record<string, string> = {}): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-attack-"));
  const limit = limitMemory();
  const settings = {
    PORT: "0",
    HOST: "127.0.0.1",
    DATA_DIR: folder,
    SERVICE_URL: "http://127.0.0.1:9/v1",
    SERVICE_API_KEY: "key-of-the-attacks",
    ALLOWED_ORIGINS: ORIGIN,
    LOG_LEVEL: "info",
    // Limits the heap too, for machines without control groups.
    NODE_OPTIONS: "--max-old-space-size=512",
    ...env,
  };
  const relay = await startRelay(RELAY, settings, limit.wrapper);
  const { port } = relay;

  const socket = (address?: string): Promise<WebSocket> => openSocket(port, address);
  return {
    port,
    limit: limit.kind,
    url: `http://127.0.0.1:${port}`,
    peak: () =>
      Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${relay.child.pid}/status`, "utf8"))?.[1]) / 1_024),
    raw: (localAddress = ATTACKER, { allowHalfOpen = false } = {}) =>
      new Promise((resolve) => {
        const raw = connect({ port, host: "127.0.0.1", localAddress, allowHalfOpen }, () => resolve(raw));
        raw.on("error", () => resolve(raw));
      }),
    socket,
    async visitor(address) {
      const ws = await socket(address);
      await greet(ws);
      return ws;
    },
    async token(address) {
      const ws = await socket(address);
      const token = await greet(ws);
      ws.terminate();
      return token;
    },
    honest: () => timeMessage(() => socket(`198.51.100.${Math.floor(Math.random() * 250)}`)),
    async stop() {
      await relay.kill("SIGKILL");
      limit.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Opens a WebSocket. @param address the client's address as the proxy reports it */
const openSocket = (port: number, address?: string): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const headers = address === undefined ? {} : { "x-forwarded-for": address };
    const ws = new WebSocket(`ws://127.0.0.1:${port}/socket`, { origin: ORIGIN, headers });
    ws.on("open", () => resolve(ws)).on("error", reject);
  });

/** Sends `hello` as a new visitor. @returns the visitor's session token */
async function greet(ws: WebSocket): Promise<string> {
  const welcome = new Promise<unknown>((resolve, reject) => ws.once("message", resolve).once("close", reject));
  ws.send(JSON.stringify({ t: "hello", v: 1, site: "default" }));
  return (JSON.parse(String(await welcome)) as { token: string }).token;
}

/** Milliseconds until a new visitor is connected and a message is acknowledged. */
async function timeMessage(open: () => Promise<WebSocket>): Promise<number> {
  const begun = performance.now();
  const ws = await open();
  await greet(ws);
  const stored = new Promise<void>((resolve, reject) => {
    ws.on("message", (data) => String(data).includes('"state":"sent"') && resolve());
    ws.once("close", reject);
  });
  ws.send(JSON.stringify({ t: "send", id: `honest-${begun}`.replace(".", "-"), text: "Do you ship to Norway?" }));
  await stored;
  ws.terminate();
  return Math.round(performance.now() - begun);
}
