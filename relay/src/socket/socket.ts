import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { CLOSE } from "@porchlight/shared/close";
import { FRAME_MAX } from "@porchlight/shared/limits";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { type Clock, realClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Places } from "../base/places.ts";
import { createUnfinished } from "../base/unfinished.ts";
import type { Connection, Transport } from "./connection.ts";
import type { Connections } from "./connections.ts";

type Parts = {
  server: Server;
  connections: Connections;
  log: Log;
  /** Whether any site lets pages of this origin in; which one, `hello` decides. */
  allows: (origin: string) => boolean;
  /** The visitor's address: the trusted proxy's word, or the socket's. */
  addressOf: (request: IncomingMessage) => string;
  /** The same whole; the other may be that of a network. */
  remoteOf: (request: IncomingMessage) => string;
  /** Room for connections, shared with every other transport. */
  places: Places;
  clock?: Clock;
};

/** Answers an upgrade that is refused, with the status in words, and ends its socket. */
function refuse(socket: Duplex, status: "403 Forbidden" | "404 Not Found" | "429 Too Many Requests"): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/**
 * The visitor's WebSocket, on the server's `upgrade` event itself: the framework's helper doubles the memory of an idle
 * socket. No compression: it multiplies that memory by 22.
 * @returns what stops taking new sockets
 */
export function serveSockets(parts: Parts): () => void {
  const { server, connections, log, allows, addressOf, remoteOf, places, clock = realClock } = parts;
  const acceptor = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: FRAME_MAX,
    // Endless tiny fragments pass every byte limit (CVE-2026-62389).
    maxFragments: 16,
    maxBufferedChunks: 64,
    clientTracking: false,
  });
  const known = new WeakMap<WebSocket, Connection>();
  const unfinished = createUnfinished(clock, (socket) => {
    log("socket.refused", { meaning: "a message that did not end" });
    socket.destroy();
  });

  let stopped = false;

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // First of all: a reset while the upgrade is under way would end the process (CVE-2026-126343).
    socket.on("error", ignore);
    const { origin } = request.headers;
    if (request.url?.split("?")[0] !== "/socket") return refuse(socket, "404 Not Found");
    if (origin === undefined) return refuse(socket, "403 Forbidden");
    const leave = places.take(addressOf(request));
    if (leave === undefined) return refuse(socket, "429 Too Many Requests");
    // Also where the handshake fails and no WebSocket comes of it.
    socket.once("close", leave);
    acceptor.handleUpgrade(request, socket, head, (ws) => {
      socket.off("error", ignore);
      ws.on("error", ignore);
      unfinished.watch(socket);
      if (stopped) return transportOf(ws, socket).close(CLOSE.restart);
      if (!allows(origin)) return turnAway(ws, socket);
      known.set(ws, connections.accept(transportOf(ws, socket), origin, remoteOf(request)));
      ws.on("message", onMessage);
      ws.on("pong", onPong);
      ws.once("close", onClose);
    });
  }

  /**
   * A page of a foreign origin learns it from a close code alone: a refused upgrade looks to it like a network that blocks
   * WebSockets. Nothing it sends is acted on, and it counts among its address's connections until it is gone.
   */
  function turnAway(ws: WebSocket, socket: Duplex): void {
    log("socket.refused", { meaning: CLOSE.notAllowed.meaning });
    transportOf(ws, socket).close(CLOSE.notAllowed);
  }

  function onMessage(this: WebSocket, data: RawData, binary: boolean): void {
    const connection = known.get(this);
    if (connection === undefined) return;
    if (binary) this.close(CLOSE.protocol.code, CLOSE.protocol.meaning);
    else connections.receive(connection, String(data));
  }

  /** Every client sends it by itself (RFC 6455 5.5.2), browsers also for a hidden page whose timers rest. */
  function onPong(this: WebSocket): void {
    const connection = known.get(this);
    if (connection !== undefined) connections.alive(connection);
  }

  function onClose(this: WebSocket): void {
    const connection = known.get(this);
    if (connection !== undefined) connections.lost(connection);
  }

  server.on("upgrade", upgrade);
  // Who comes while the relay stops is told to come back: a socket that nobody answers would never end.
  return () => {
    stopped = true;
  };
}

/** `ws` reports every broken connection as an error and closes it; the close is what counts. */
function ignore(): void {}

/** With more bytes than this unread, a client that is let go hears no reason. */
const UNREAD_MAX = 64 * 1024;
/** After a polite close, a client that does not answer is cut off. */
const CLOSE_MS = 5_000;

/** First byte of a whole text frame, and a whole ping frame, as Latin-1 (RFC 6455, 5.2). */
const TEXT = "\x81";
const PING = "\x89\x00";
/** Longest payload whose length fits into the second byte of a frame. */
const SHORT_MAX = 125;

/**
 * A text frame as it stands on the wire. Written past `ws`, which writes whole frames, so nothing gets in between:
 * heartbeats are all that an idle connection costs, and as one string they cost half of what the frames of `ws` do.
 * @param text ASCII, at most 125 characters
 */
function textFrame(text: string): string {
  if (text.length > SHORT_MAX) throw new RangeError("The frame is too long for a short header");
  return TEXT + String.fromCharCode(text.length) + text;
}

function transportOf(ws: WebSocket, socket: Duplex): Transport {
  let corked = false;
  /** What is written in one turn of the event loop leaves in one write. */
  const cork = (): void => {
    if (corked) return;
    corked = true;
    socket.cork();
    process.nextTick(uncork);
  };
  const uncork = (): void => {
    corked = false;
    socket.uncork();
  };
  return {
    send(text) {
      cork();
      ws.send(text);
    },
    close(ending) {
      // A close frame would wait behind what the client does not read, and all of that stay in memory.
      if (ending === CLOSE.overload && ws.bufferedAmount > UNREAD_MAX) return ws.terminate();
      ws.close(ending.code, ending.meaning);
      setTimeout(() => ws.terminate(), CLOSE_MS).unref();
    },
    buffered: () => ws.bufferedAmount,
    sendHeartbeat(text, ping) {
      if (ws.readyState === ws.OPEN) socket.write(ping ? PING + textFrame(text) : textFrame(text), "latin1");
    },
  };
}
