import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { CLOSE } from "@porchlight/shared/close";
import { FRAME_MAX, HELLO_MAX } from "@porchlight/shared/limits";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { type Clock, realClock } from "../base/clock.ts";
import type { ConnectionSlots } from "../base/connection-slots.ts";
import type { Log } from "../base/log.ts";
import { createUnfinishedMessages } from "../base/unfinished-messages.ts";
import type { Connection } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { SocketTransport } from "./socket-transport.ts";

/** What the WebSocket server works with. */
export type SocketsDeps = {
  server: Server;
  connections: Connections;
  log: Log;
  /** Whether any site allows pages of this origin. Only the `hello` will name the site. */
  allows: (origin: string) => boolean;
  /** The address or network by which limits count the client. */
  networkOf: (request: IncomingMessage) => string;
  /** The client's whole address. */
  addressOf: (request: IncomingMessage) => string;
  /** Limits the number of connections; shared with every other transport. */
  slots: ConnectionSlots;
  clock?: Clock;
};

type Sockets = SocketsDeps & {
  acceptor: WebSocketServer;
  unfinished: ReturnType<typeof createUnfinishedMessages>;
  known: WeakMap<WebSocket, Connection>;
  stopped: boolean;
};

/** Whether a request that offers another protocol is for a visitor's WebSocket. */
export const isSocketRequest = ({ url }: IncomingMessage): boolean => url?.split("?")[0] === "/socket";

/**
 * Serves visitors' WebSockets on the server's `upgrade` event, which the server must emit for `isSocketRequest` only. The
 * framework's helper is not used, because it doubles the memory of an idle socket. There is no compression, because it
 * multiplies that memory by 22.
 * @returns a function; after its call, new sockets are told to reconnect later
 */
export function serveSockets(deps: SocketsDeps): () => void {
  const { server, log, clock = realClock } = deps;
  const acceptor = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: FRAME_MAX,
    // Endless tiny fragments never reach a limit of bytes (CVE-2026-62389).
    maxFragments: 16,
    maxBufferedChunks: 64,
    clientTracking: false,
  });
  const unfinished = createUnfinishedMessages(clock, (socket) => {
    log("socket.refused", { meaning: "a message that did not end" });
    socket.destroy();
  });
  const sockets: Sockets = { ...deps, acceptor, unfinished, known: new WeakMap(), stopped: false };
  const listeners = listenersFor(sockets);
  server.on("upgrade", (request, socket, head) => upgrade(sockets, listeners, request, socket, head));
  // An unanswered upgrade would never end, so a stopping relay accepts it and tells the client to reconnect later.
  return () => {
    sockets.stopped = true;
  };
}

/** Listeners of a WebSocket, the same functions for all of them: they find their connection by `this`. */
type Listeners = {
  message: (this: WebSocket, data: RawData, binary: boolean) => void;
  pong: (this: WebSocket) => void;
  error: (this: WebSocket) => void;
  close: (this: WebSocket) => void;
};

function listenersFor({ known, connections }: Sockets): Listeners {
  return {
    message(data, binary) {
      const connection = known.get(this);
      if (connection === undefined) return;
      if (binary) this.close(CLOSE.protocol.code, CLOSE.protocol.meaning);
      else connections.receive(connection, String(data));
    },
    /** Every client answers a ping by itself (RFC 6455, 5.5.2), also a browser for a hidden page whose timers are paused. */
    pong() {
      const connection = known.get(this);
      if (connection !== undefined) connections.alive(connection);
    },
    /** The client broke the protocol. `ws` has sent its close frame, and would read for another half minute. */
    error() {
      const phase = known.get(this)?.phase;
      if (phase !== undefined && phase.name !== "closed") phase.transport.close(CLOSE.protocol);
    },
    close() {
      const connection = known.get(this);
      if (connection !== undefined) connections.lost(connection);
    },
  };
}

/** Answers an upgrade request: refuses it, or opens a WebSocket. */
function upgrade(sockets: Sockets, listeners: Listeners, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  // First of all: without a listener, a reset during the upgrade would end the process (CVE-2026-126343).
  socket.on("error", ignore);
  if (request.headers.origin === undefined) return refuse(socket, "403 Forbidden");
  const leave = sockets.slots.take(sockets.networkOf(request));
  if (leave === undefined) return refuse(socket, "429 Too Many Requests");
  // On the raw socket, because a failed handshake opens no WebSocket.
  socket.once("close", leave);
  const unlimit = limitEarly(socket, head.length);
  const accept = (): void => {
    unlimit();
    sockets.acceptor.handleUpgrade(request, socket, head, (ws) => open(sockets, listeners, request, socket, ws));
  };
  void sockets.connections.slot(sockets.addressOf(request), () => socket.destroyed).then(accept);
}

/**
 * Destroys a connection that sends more than a `hello` before its handshake is answered; the protocol allows nothing before that
 * (RFC 6455 section 4.1). Node reads 64 KB ahead: ten thousand connections that wait for their slot took gigabytes (RELIABILITY A24).
 * @param size bytes that came with the request
 * @returns a function that ends the limit
 */
function limitEarly(socket: Duplex, size: number): () => void {
  const check = (): void => {
    if (size + socket.readableLength > HELLO_MAX) socket.destroy();
  };
  check();
  socket.on("readable", check);
  return () => socket.off("readable", check);
}

/** Makes a WebSocket a visitor's connection, or closes it with a code for the reason. */
function open(sockets: Sockets, listeners: Listeners, request: IncomingMessage, socket: Duplex, ws: WebSocket): void {
  const { origin = "" } = request.headers;
  socket.off("error", ignore);
  ws.on("error", ignore);
  sockets.unfinished.watch(socket);
  const transport = new SocketTransport(ws, socket);
  if (sockets.stopped) return transport.close(CLOSE.restart);
  if (!sockets.allows(origin)) {
    // A close code, because to a page, a refused upgrade looks like a network that blocks WebSockets. Frames of this client are
    // not read. It counts against the limit of its address until it is gone.
    sockets.log("socket.refused", { meaning: CLOSE.notAllowed.meaning });
    return transport.close(CLOSE.notAllowed);
  }
  sockets.known.set(ws, sockets.connections.accept(transport, origin, sockets.addressOf(request)));
  ws.on("message", listeners.message);
  ws.on("pong", listeners.pong);
  // `ws` answers each ping, so it costs as much as a pong.
  ws.on("ping", listeners.pong);
  ws.on("error", listeners.error);
  ws.once("close", listeners.close);
}

/**
 * Refuses an upgrade with an HTTP status, and destroys its socket when the answer is sent. The server's deadlines do not apply after
 * an upgrade, so a client that does not end its side would keep the connection for ever (RELIABILITY A24).
 */
function refuse(socket: Duplex, status: "403 Forbidden" | "429 Too Many Requests"): void {
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** `ws` reports every broken connection as an error and then closes it; only the close is handled. */
function ignore(): void {}
