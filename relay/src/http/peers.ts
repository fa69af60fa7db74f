import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "../base/address.ts";
import { setNewest } from "../base/bounded-map.ts";
import type { Clock } from "../base/clock.ts";
import type { ConnectionSlots } from "../base/connection-slots.ts";

/** A blocked address gets no new connection for this long, in milliseconds. */
const BLOCK_MS = 10_000;
/** Most blocked addresses that are remembered. */
const BLOCKED_MAX = 10_000;

export type Peers = {
  /**
   * Destroys a connection whose client abuses HTTP, and all other HTTP connections of its address before their requests are
   * read. Refuses new ones for a while. WebSockets stay open. Behind a proxy, destroys only the one connection.
   */
  block: (socket: Socket) => void;
};

type State = {
  /** HTTP connections by address. */
  open: Map<string, Set<Socket>>;
  /** Blocked addresses, and the uptime in milliseconds until which each is blocked. */
  blocked: Map<string, number>;
};

const addressOf = (socket: Socket): string => networkOf(socket.remoteAddress ?? "unknown");

/**
 * Limits the TCP connections per client address and in total, before any request: slow headers, incomplete bodies and idle
 * connections count too (RELIABILITY A24, A26). Behind a proxy, every connection comes from the proxy: `slots` must have no
 * limit per address then, and the proxy's own limit applies.
 * @param options.proxied connections come from a proxy, so many clients share one address
 */
export function limitPeers(
  server: Server,
  slots: ConnectionSlots,
  { clock, proxied }: { clock: Pick<Clock, "uptime">; proxied: boolean },
): Peers {
  const state: State = { open: new Map(), blocked: new Map() };
  server.prependListener("connection", (socket: Socket) => {
    const address = addressOf(socket);
    const isBlocked = (state.blocked.get(address) ?? 0) > clock.uptime();
    const release = isBlocked ? undefined : slots.take(address);
    if (release === undefined) return void socket.destroy();
    socket.once("close", release);
    if (!proxied) remember(state, address, socket);
  });
  server.on("upgrade", ({ socket }: IncomingMessage) => forget(state, addressOf(socket), socket));
  return {
    block(socket) {
      socket.destroy();
      if (proxied) return;
      const address = addressOf(socket);
      for (const other of state.open.get(address) ?? []) other.destroy();
      setNewest(state.blocked, address, clock.uptime() + BLOCK_MS, BLOCKED_MAX);
    },
  };
}

function remember(state: State, address: string, socket: Socket): void {
  const sockets = state.open.get(address) ?? new Set();
  state.open.set(address, sockets.add(socket));
  socket.once("close", () => forget(state, address, socket));
}

function forget({ open }: State, address: string, socket: Socket): void {
  const sockets = open.get(address);
  sockets?.delete(socket);
  if (sockets?.size === 0) open.delete(address);
}
