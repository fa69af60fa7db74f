import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Settings } from "../base/config.ts";

/** Starts to listen: on the socket that a supervisor hands over (systemd's LISTEN_FDS protocol), or on host and port. */
export async function listen(server: Server, settings: Pick<Settings, "host" | "port" | "listenFd">): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", resolve);
    if (settings.listenFd === undefined) server.listen(settings.port, settings.host);
    else server.listen({ fd: settings.listenFd });
  });
  return (server.address() as AddressInfo).port;
}
