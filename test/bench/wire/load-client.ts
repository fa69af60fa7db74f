/**
 * A WebSocket client reduced to what a load driver needs: text frames over a bare TCP socket. A full client needs
 * more CPU than the server under test, so the bench would measure the driver.
 */
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

export type LoadClient = {
  /** Sends one text frame (RFC 6455, 5.2). */
  send: (text: string) => void;
  /** Resets the connection, so that no address stays in TIME_WAIT. */
  cut: () => void;
};

export type LoadClientOptions = {
  port: number;
  /** Path of the WebSocket, with its query. */
  path: string;
  origin: string;
  /** Loopback address to connect from: servers limit what one address may do. */
  from?: string | undefined;
  /** Called with each text frame. */
  onText: (text: string) => void;
  /** Called with each ping, after it was answered. */
  onPing?: () => void;
  onClose?: () => void;
};

const TEXT = 0x81;
const CLOSE = 0x88;
const PING = 0x89;
const PONG = 0x8a;
const MASKED = 0x80;
/** Header of a masked frame: two bytes, the longer length if any, four bytes of key. */
const SHORT_HEADER = 6;
const LONG_HEADER = 8;

/** A masked frame. The masking key is zero, so the payload need not be masked, and the server's work is the same. */
function frameOf(opcode: number, payload: string | Buffer): Buffer {
  const length = Buffer.byteLength(payload);
  const header = length < 126 ? SHORT_HEADER : LONG_HEADER;
  const frame = Buffer.alloc(header + length);
  frame[0] = opcode;
  frame[1] = MASKED | Math.min(length, 126);
  if (length >= 126) frame.writeUInt16BE(length, 2);
  if (typeof payload === "string") frame.write(payload, header);
  else payload.copy(frame, header);
  return frame;
}

/** Start and end of the payload of the frame at `at`; undefined while its header is incomplete. */
function extent(data: Buffer, at: number): [from: number, to: number] | undefined {
  if (data.length < at + 2) return undefined;
  const short = (data[at + 1] ?? 0) & 127;
  if (short < 126) return [at + 2, at + 2 + short];
  if (short === 126) return data.length < at + 4 ? undefined : [at + 4, at + 4 + data.readUInt16BE(at + 2)];
  return data.length < at + 10 ? undefined : [at + 10, at + 10 + Number(data.readBigUInt64BE(at + 2))];
}

/** Handles the complete frames at the beginning of `data`. @returns the rest */
function takeFrames(data: Buffer, socket: Socket, { onText, onPing }: LoadClientOptions): Buffer {
  let at = 0;
  for (;;) {
    const found = extent(data, at);
    if (found === undefined || found[1] > data.length) return at === 0 ? data : data.subarray(at);
    const [from, to] = found;
    const opcode = data[at];
    if (opcode === TEXT) onText(data.toString("utf8", from, to));
    else if (opcode === PING) {
      socket.write(frameOf(PONG, data.subarray(from, to)));
      onPing?.();
    } else if (opcode === CLOSE) socket.destroy();
    at = to;
  }
}

const request = ({ path, port, origin }: LoadClientOptions): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${origin}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n\r\n`;

/** Opens a WebSocket. Rejects when the connection fails or the upgrade is refused. */
export function openLoadClient(options: LoadClientOptions): Promise<LoadClient> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: options.port, localAddress: options.from, noDelay: true });
    let rest: Buffer = Buffer.alloc(0);
    let open = false;
    socket.on("connect", () => socket.write(request(options)));
    socket.on("error", reject);
    socket.on("close", () => {
      reject(new Error("The connection was closed before the upgrade"));
      if (open) options.onClose?.();
    });
    socket.on("data", (chunk: Buffer) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      if (!open) {
        const end = rest.indexOf("\r\n\r\n");
        if (end < 0) return;
        const status = rest.toString("latin1", 0, rest.indexOf("\r\n"));
        if (!status.includes(" 101 ")) return void socket.destroy(new Error(`The upgrade was answered "${status}"`));
        open = true;
        rest = rest.subarray(end + 4);
        resolve({ send: (text) => void socket.write(frameOf(TEXT, text)), cut: () => void socket.resetAndDestroy() });
      }
      rest = takeFrames(rest, socket, options);
    });
  });
}
