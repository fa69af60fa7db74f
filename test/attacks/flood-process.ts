/**
 * Sends oversized frames, bodies, headers and addresses to the relay whose port is its argument. Runs in a separate
 * process, so that honest visitors do not wait for the attacker's own work.
 */
import { connect } from "node:net";
import { ORIGIN, UPGRADE } from "./target.ts";

const ROUNDS = 3;
const AT_ONCE = 10;
const BYTES = 64 * 1_048_576;

const posted = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nOrigin: ${ORIGIN}\r\nAuthorization: Bearer x\r\nContent-Length: ${BYTES}\r\n\r\n`;
const HEADS = [
  // The head of a frame of 64 MB, masked with zeros.
  `${UPGRADE}\u0081\u00ff\u0000\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000\u0000\u0000`,
  posted("/callbacks/reply/x"),
  posted("/api/v1/messages"),
  posted("/media"),
  posted("/healthz"),
  "GET /healthz HTTP/1.1\r\nHost: a\r\nX-Large: ",
  "GET /",
];
/** Total number of floods. */
export const FLOODS = ROUNDS * AT_ONCE * HEADS.length;

/** Sends 64 MB after `head`, as fast as the relay takes them, until it closes. */
async function flood(port: number, head: string): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  // The relay resets a connection that sends too much.
  socket.on("error", () => {});
  const chunk = Buffer.alloc(65_536, "x");
  socket.write(head, "latin1");
  await new Promise<void>((resolve) => {
    let sent = 0;
    const more = (): void => {
      sent += chunk.length;
      if (sent >= BYTES) socket.destroy();
      else if (!socket.destroyed && socket.write(chunk)) setImmediate(more);
    };
    socket.on("drain", more).once("close", resolve).resume();
    more();
  });
}

if (import.meta.main) {
  const port = Number(process.argv[2]);
  for (let round = 0; round < ROUNDS; round++)
    await Promise.all(HEADS.flatMap((head) => Array.from({ length: AT_ONCE }, () => flood(port, head))));
}
