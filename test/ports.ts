/** Ports for programs that are told one, and for relays that must come back on theirs. */

import { createServer } from "node:net";

/** Below what systems hand out by themselves (Linux from 32768, others from 49152): nobody is given it meanwhile. */
const FROM = 20_000;
const COUNT = 12_000;

/** A port of this machine that was free a moment ago. */
export async function freePort(): Promise<number> {
  const port = FROM + Math.floor(Math.random() * COUNT);
  const probe = createServer();
  const free = await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (!free) return freePort();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
