/**
 * Lets five thousand clients say hello to the relay in one instant: `return-process.ts <port> <token …>`. Each has a token and
 * lacks the whole thread of its visitor. Runs in a separate process, so that honest visitors do not wait for the attacker's own
 * work. Exits with 1 when fewer than half of the clients got their thread.
 */
import { connect, type Socket } from "node:net";
import { UPGRADE } from "./target.ts";

/** Clients, and the addresses that they share. */
export const CLIENTS = 5_000;
const ADDRESSES = 100;
const AT_ONCE = 250;
/** Each visitor's thread: its messages, and the bytes of one. */
export const THREAD = { messages: 10, bytes: 8_000 };

/** A client's whole text frame, masked with zeros (RFC 6455 section 5.2). */
function frame(text: string): Buffer {
  const head = Buffer.from([0x81, 0x80 | 126, text.length >> 8, text.length & 0xff, 0, 0, 0, 0]);
  return Buffer.concat([head, Buffer.from(text)]);
}

/** Opens a connection; resolves also when the relay refuses it. */
const open = (port: number): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.on("error", () => resolve(socket));
  });

/** Asks for a WebSocket and says hello. Resolves to whether the client got its whole thread. */
function comeBack(socket: Socket, n: number, token: string): Promise<boolean> {
  const address = `X-Forwarded-For: 198.18.0.${n % ADDRESSES}`;
  const hello = frame(JSON.stringify({ t: "hello", v: 1, site: "default", token }));
  return new Promise((resolve) => {
    let bytes = 0;
    socket.on("data", (part) => {
      bytes += part.length;
      if (bytes > THREAD.messages * THREAD.bytes) socket.destroy();
    });
    const end = (): void => resolve(bytes > THREAD.messages * THREAD.bytes);
    if (socket.closed) return end();
    socket.once("close", end);
    socket.write(Buffer.concat([Buffer.from(UPGRADE.replace("Host: a", `Host: a\r\n${address}`)), hello]));
  });
}

if (import.meta.main) {
  const [port, ...tokens] = process.argv.slice(2);
  const sockets: Socket[] = [];
  while (sockets.length < CLIENTS)
    sockets.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => open(Number(port))))));
  const whole = await Promise.all(sockets.map((socket, n) => comeBack(socket, n, tokens[n % tokens.length] ?? "")));
  process.exit(whole.filter(Boolean).length >= CLIENTS / 2 ? 0 : 1);
}
