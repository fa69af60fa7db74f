import type { RequestListener } from "node:http";
import { createHttpServer } from "../http/server.ts";
import type { Core } from "./core.ts";
import { listen } from "./listen.ts";

/** The admin pages and the metrics on a listener of their own; nothing where the settings name none. */
export function createAdminListener({ settings }: Core, framework: RequestListener) {
  const address = settings.adminListen;
  if (address === undefined) return undefined;
  const server = createHttpServer(framework);
  return {
    start: (): Promise<number> => listen(server, { ...address, listenFd: undefined }),
    stop: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
