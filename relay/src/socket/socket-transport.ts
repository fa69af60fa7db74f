import type { Duplex } from "node:stream";
import { CLOSE, type Ending } from "@porchlight/shared/close";
import type { WebSocket } from "ws";
import { discardUnreadRest } from "../base/unread-rest.ts";
import type { Transport } from "./connection.ts";
import { asciiFrame, PING, textFrame } from "./text-frames.ts";

/** A client with more unread bytes than this is cut off without a close frame, except when the relay restarts. */
const UNREAD_MAX = 4 * 1024;
/**
 * A client that does not answer a close frame is cut off after this, in milliseconds, or when it has sent this many bytes more.
 */
const CLOSE_MS = 5_000;
const REST_MAX = 64 * 1024;
/** When the waiting frames have more bytes than this, they are written before the end of the tick. */
const FRAMES_MAX = 1_024;

/** Transports with frames that wait for the end of this tick of the event loop. */
const waiting: SocketTransport[] = [];

function writeAll(): void {
  for (const transport of waiting.splice(0)) transport.write();
}

/**
 * The WebSocket as a transport. Writes text frames without `ws`; this is safe, because `ws` also writes whole frames. All short
 * texts of a tick of the event loop leave in one write; `ws` would write two buffers for each frame.
 *
 * A class, because functions made for each of thousands of idle sockets take memory.
 */
export class SocketTransport implements Transport {
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  /** Frames that wait for the end of this tick. */
  #frames = "";

  constructor(ws: WebSocket, socket: Duplex) {
    this.#ws = ws;
    this.#socket = socket;
  }

  send(text: string): void {
    if (this.#frames === "" && waiting.push(this) === 1) process.nextTick(writeAll);
    this.#frames += textFrame(text);
    if (this.#frames.length > FRAMES_MAX) this.write();
  }

  close({ code, meaning }: Ending): void {
    const ws = this.#ws;
    this.write();
    // A close frame would wait behind what the client does not read, and all of that would stay in memory, where nobody counts it.
    if (code !== CLOSE.restart.code && ws.bufferedAmount > UNREAD_MAX) return ws.terminate();
    ws.close(code, meaning);
    discardUnreadRest(this.#socket, { ms: CLOSE_MS, bytes: REST_MAX }, () => ws.terminate());
  }

  /** Frames that wait for the end of the tick are not counted: they are short. */
  buffered(): number {
    return this.#ws.bufferedAmount;
  }

  sendHeartbeat(text: string, ping: boolean): void {
    this.#frames += ping ? PING + asciiFrame(text) : asciiFrame(text);
    this.write();
  }

  /** Writes the frames that wait. */
  write(): void {
    const frames = this.#frames;
    this.#frames = "";
    // After a close frame nothing may follow (RFC 6455, 5.5.1).
    if (frames !== "" && this.#ws.readyState === this.#ws.OPEN) this.#socket.write(frames, "latin1");
  }
}
