/**
 * A minimal chain that does the relay's job: a bare `ws` server, bare `node:http` and a pool of keep-alive connections.
 * Nothing is stored or checked. `node bare.ts <service>` sends its port to its parent. It echoes frames of type
 * `echo`. With `FLUSHES=1` it writes and flushes a file before each message is posted, and again before each reply is sent. With
 * `HEARTBEATS=1` it sends the relay's heartbeats: a frame to each socket once per interval, a ping with every
 * other one.
 */
import { randomBytes } from "node:crypto";
import { fdatasync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HEARTBEAT_MS } from "@porchlight/shared/limits";
import { Pool } from "undici";
import { type WebSocket, WebSocketServer } from "ws";

type Frame = { t: string; id: string; text: string };

const pool = new Pool(process.argv[2] ?? "", { connections: 64, pipelining: 1 });
const sockets = new Map<string, WebSocket>();

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (part) => {
    body += part;
  });
  request.on("end", () => {
    if (log === undefined) return push(body, response);
    void flush(log).then(() => push(body, response));
  });
});

/** Sends a reply to its visitor, and answers its callback. */
function push(body: string, response: ServerResponse): void {
  const { toId, body: text } = JSON.parse(body) as { toId: string; body: string };
  sockets.get(toId)?.send(JSON.stringify({ t: "message", message: { text, from: "reply" } }));
  response.setHeader("content-type", "application/json");
  response.end('{"success":true}');
}

/** Half of the pages that the relay's log gets for a trip. */
const PAGES = Buffer.alloc(8 * 4_096, 1);
/** Size of the file. After its end, it is written again from the start, like a write-ahead log. */
const LOG_BYTES = 4 * 1024 * 1024;
/** A file of its full size, so that a flush writes only data. `end`: where the last pages were written. */
type Log = { file: number; end: number };

function openLog(): Log {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-bench-"));
  const file = openSync(join(folder, "log"), "w");
  // The file stays usable while it is open, and a killed process leaves nothing behind.
  rmSync(folder, { recursive: true });
  writeSync(file, Buffer.alloc(LOG_BYTES));
  return { file, end: 0 };
}

const log = process.env.FLUSHES === "1" ? openLog() : undefined;

/** Writes pages, and resolves when they are on the disk. */
function flush(log: Log): Promise<void> {
  log.end = (log.end + PAGES.length) % LOG_BYTES;
  writeSync(log.file, PAGES, 0, PAGES.length, log.end);
  return new Promise((resolve, reject) => fdatasync(log.file, (error) => (error === null ? resolve() : reject(error))));
}

async function deliver(socket: WebSocket, fromId: string, { id, text }: Frame): Promise<void> {
  if (log !== undefined) await flush(log);
  const customData = { messageSid: randomBytes(8).toString("hex"), fromId, toId: "website", body: text };
  const answer = await pool.request({
    method: "POST",
    path: "/v1/incoming_custom_channel_message?apiKey=key",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ customData }),
  });
  await answer.body.dump();
  socket.send(JSON.stringify({ t: "message", message: { id, text, from: "visitor" } }));
}

type Beat = { socket: WebSocket; pings: boolean };
/** Sockets, by the second of the interval in which their heartbeat is due. */
const beats = Array.from({ length: HEARTBEAT_MS / 1_000 }, () => new Set<Beat>());

/** Sends the heartbeats of one second, and schedules those of the next one. */
function sendHeartbeats(second: number): void {
  for (const beat of beats[second % beats.length] ?? []) {
    if (beat.pings) beat.socket.ping();
    beat.socket.send(JSON.stringify({ t: "pong", head: 90 }));
    beat.pings = !beat.pings;
  }
  setTimeout(sendHeartbeats, 1_000, second + 1);
}

/** Sends heartbeats to a socket until it closes. */
function startHeartbeats(socket: WebSocket): void {
  const slot = beats[Math.floor(Math.random() * beats.length)];
  const beat = { socket, pings: true };
  slot?.add(beat);
  socket.on("close", () => slot?.delete(beat));
}

const hasHeartbeats = process.env.HEARTBEATS === "1";
if (hasHeartbeats) sendHeartbeats(0);

new WebSocketServer({ server, perMessageDeflate: false }).on("connection", (socket) => {
  const id = randomBytes(16).toString("hex");
  sockets.set(id, socket);
  socket.on("close", () => sockets.delete(id));
  socket.on("error", () => {});
  if (hasHeartbeats) startHeartbeats(socket);
  socket.on("message", (data) => {
    const text = String(data);
    if (text.startsWith('{"t":"echo"')) return socket.send(text);
    const frame = JSON.parse(text) as Frame;
    if (frame.t === "hello") socket.send(JSON.stringify({ t: "welcome", visitor: id }));
    else void deliver(socket, id, frame);
  });
});

// Longer than the other servers' rounds, so that connections stay open meanwhile.
server.keepAliveTimeout = 120_000;
server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
);
