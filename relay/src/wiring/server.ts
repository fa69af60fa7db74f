import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { sendersBehind } from "../base/address.ts";
import type { Clock } from "../base/clock.ts";
import type { Settings } from "../base/config.ts";
import { type ConnectionSlots, createConnectionSlots } from "../base/connection-slots.ts";
import { withDeadline } from "../http/deadline.ts";
import { hasOneHost, withOneHost } from "../http/host-header.ts";
import { limitIncompleteHeaders } from "../http/incomplete-headers.ts";
import { limitPeers } from "../http/peers.ts";
import { watchConnections } from "../http/pending-connections.ts";
import { limitPipelining, refuseEarlyUpgrades } from "../http/pipelining.ts";
import { withResponsePolicy } from "../http/response-policy.ts";
import type { RouteOfBody } from "../http/route-table.ts";
import { createHttpServer } from "../http/server.ts";
import { isSocketRequest, serveSockets } from "../socket/socket.ts";
import type { Core } from "./core.ts";
import { listen } from "./listen.ts";
import type { VisitorFlows } from "./visitors.ts";

/**
 * Most clients per second that are told to reconnect after a stop: at most 15 of two hundred may return within one second
 * (WIDGET 9).
 */
const RETURN_RATE = 15;
/** TCP connections of one address, for each chat that the address may open: a chat takes up to six, a page a few more. */
const PEER_FACTOR = 5;
/** TCP connections that any address may open: callbacks come from one address, and hundreds may wait during a restart. */
const PEER_MIN = 1_000;
/** TCP connections of all addresses, for each chat: browsers keep idle ones for files, the service for callbacks. */
const PEERS_FACTOR = 1.5;
/** At a stop, a new connection has this long (ms) to begin a request. */
const BEGIN_MS = 1_000;
/** Idle connections are kept this long (ms) after an answer; clients are told so (`Keep-Alive: timeout=5`). */
const KEPT_MS = 5_000;
/** At a stop, answers under way are cut off after this time (ms). Node ends kept connections a second after `KEPT_MS`. */
export const LINGER_MS = KEPT_MS + 2_500;

/** TCP connections that are accepted. Behind a proxy all come from the proxy, so there is no limit per address. */
const peerLimits = ({ trustProxy, socketsPerAddress, socketsTotal }: Settings) => ({
  perAddress: trustProxy > 0 || socketsPerAddress === 0 ? 0 : Math.max(PEER_MIN, socketsPerAddress * PEER_FACTOR),
  total: socketsTotal * PEERS_FACTOR,
});

type ServerDeps = {
  /** Handles callbacks before the framework. @returns whether it handled the request */
  handleCallback: (request: IncomingMessage, response: ServerResponse) => boolean;
  framework: RequestListener;
  routeOfBody: RouteOfBody;
  visitors: Pick<VisitorFlows, "connections" | "allows">;
  /** Limits the visitors' connections, over every transport. */
  slots: ConnectionSlots;
};

export type RelayServer = {
  /** Starts to listen. Resolves to the port. */
  listen: () => Promise<number>;
  /** Whether the server is ending its connections. */
  stopping: () => boolean;
  /** Accepts no new visitors. The first step of a stop. */
  shut: () => void;
  /** Tells visitors to reconnect later, lets requests end, and closes every connection. */
  close: () => Promise<void>;
};

/** The HTTP server with the visitors' WebSockets. */
export function createServer(
  core: Core,
  { handleCallback, framework, routeOfBody, visitors, slots }: ServerDeps,
): RelayServer {
  const { settings, clock, log } = core;
  const { connections, allows } = visitors;
  const { addressOf, networkOf } = sendersBehind(settings.trustProxy);
  let stopping = false;
  const limited = withDeadline(clock, routeOfBody, framework);
  const routed: RequestListener = (request, response) => {
    // The last answer on each connection says that the connection ends.
    if (stopping) response.shouldKeepAlive = false;
    if (!handleCallback(request, response)) limited(request, response);
  };
  const answer = withResponsePolicy(clock, withOneHost(routed));
  const server = createHttpServer(
    limitPipelining((socket) => peers.block(socket), answer),
    {
      isUpgrade: (request) => isSocketRequest(request) && hasOneHost(request),
    },
  );
  server.keepAliveTimeout = KEPT_MS;
  const limits = peerLimits(settings);
  const peers = limitPeers(server, createConnectionSlots(limits), { clock, proxied: limits.perAddress === 0 });
  limitIncompleteHeaders(server, clock);
  const pending = watchConnections(server, clock);
  const sockets = { server, connections, log, allows, addressOf, networkOf, slots, clock };
  const stopSockets = serveSockets(sockets);
  refuseEarlyUpgrades(server);
  return {
    listen: () => listen(server, settings),
    stopping: () => stopping,
    shut() {
      stopping = true;
      connections.shut();
    },
    async close() {
      const closed = pending.close();
      stopSockets();
      connections.drain(RETURN_RATE);
      await pending.begun(BEGIN_MS);
      pending.closeIdle();
      await closeInTime(clock, closed, () => server.closeAllConnections());
    },
  };
}

/** Waits for `closed`, and calls `cutOff` when it takes longer than `LINGER_MS`. */
async function closeInTime(clock: Clock, closed: Promise<void>, cutOff: () => void): Promise<void> {
  const cancel = clock.after(LINGER_MS, cutOff);
  await closed;
  cancel();
}
