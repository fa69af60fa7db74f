import type { RequestListener } from "node:http";
import { createConnectionSlots } from "../base/connection-slots.ts";
import { withDeadline } from "../http/deadline.ts";
import { withOneHost } from "../http/host-header.ts";
import { limitPeers } from "../http/peers.ts";
import { limitPipelining } from "../http/pipelining.ts";
import { withResponsePolicy } from "../http/response-policy.ts";
import type { RouteOfBody } from "../http/route-table.ts";
import { createHttpServer } from "../http/server.ts";
import type { Core } from "./core.ts";
import { listen } from "./listen.ts";

/**
 * TCP connections of one address, and of all: a browser opens up to six, and all operators may come through one tunnel. Without a
 * limit, idle connections and unfinished headers of one machine fill the memory (RELIABILITY A24).
 */
const PEERS = { perAddress: 300, total: 600 };

/** The admin pages and the metrics on their own listener; undefined if the settings name none. */
export function createAdminListener({ settings, clock }: Core, framework: RequestListener, routeOfBody: RouteOfBody) {
  const address = settings.adminListen;
  if (address === undefined) return undefined;
  const limited = withResponsePolicy(clock, withOneHost(withDeadline(clock, routeOfBody, framework)));
  const server = createHttpServer(limitPipelining((socket) => socket.destroy(), limited));
  limitPeers(server, createConnectionSlots(PEERS), { clock, proxied: true });
  return {
    start: (): Promise<number> => listen(server, { ...address, listenFd: undefined }),
    stop: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
