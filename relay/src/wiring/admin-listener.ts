import { getRequestListener } from "@hono/node-server";
import type { AdminDeps } from "../admin/index.ts";
import { createAdminApp } from "../app.ts";
import { createHttpServer } from "../http/server.ts";
import type { Core } from "./core.ts";
import { listen } from "./listen.ts";

/** The admin pages and the metrics on a listener of their own; nothing where the settings name none. */
export function createAdminListener({ settings, log }: Core, admin: AdminDeps) {
  const address = settings.adminListen;
  if (address === undefined) return undefined;
  const server = createHttpServer(getRequestListener(createAdminApp(admin, log).fetch));
  return {
    start: (): Promise<number> => listen(server, { ...address, listenFd: undefined }),
    stop: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
