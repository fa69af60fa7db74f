import type { RequestListener } from "node:http";
import { withDeadline } from "../http/deadline.ts";
import { limitPipelining } from "../http/pipelining.ts";
import { withResponsePolicy } from "../http/response-policy.ts";
import type { RouteOfBody } from "../http/route-table.ts";
import { createHttpServer } from "../http/server.ts";
import type { Core } from "./core.ts";
import { listen } from "./listen.ts";

/** The admin pages and the metrics on their own listener; undefined if the settings name none. */
export function createAdminListener({ settings, clock }: Core, framework: RequestListener, routeOfBody: RouteOfBody) {
  const address = settings.adminListen;
  if (address === undefined) return undefined;
  const limited = withResponsePolicy(clock, withDeadline(clock, routeOfBody, framework));
  const server = createHttpServer(limitPipelining((socket) => socket.destroy(), limited));
  return {
    start: (): Promise<number> => listen(server, { ...address, listenFd: undefined }),
    stop: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
