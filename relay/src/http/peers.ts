import type { Server } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "../base/address.ts";
import type { Places } from "../base/places.ts";

/**
 * Limits the TCP connections per client address and in total, before any request: slow headers, incomplete bodies and idle
 * connections count too (RELIABILITY A24, A26). Behind a proxy, every connection comes from the proxy: `places` must have no
 * limit per address then, and the proxy's own limit applies.
 */
export function limitPeers(server: Server, places: Places): void {
  server.prependListener("connection", (socket: Socket) => {
    const leave = places.take(networkOf(socket.remoteAddress ?? "unknown"));
    if (leave === undefined) socket.destroy();
    else socket.once("close", leave);
  });
}
