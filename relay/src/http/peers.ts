import type { Server } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "../base/address.ts";
import type { Places } from "../base/places.ts";

/**
 * Bounds the TCP connections of each peer, before any of them has said a word: slow headers, half bodies and idle
 * connections count like all others (RELIABILITY A24, A26). Behind a proxy every peer is the proxy: give `places` no limit
 * per address then, the proxy's own limit holds.
 */
export function limitPeers(server: Server, places: Places): void {
  server.prependListener("connection", (socket: Socket) => {
    const leave = places.take(networkOf(socket.remoteAddress ?? "unknown"));
    if (leave === undefined) socket.destroy();
    else socket.once("close", leave);
  });
}
