import { type Server, type ServerKind, startServer } from "./server.ts";
import { type Service, startService } from "./service.ts";
import { connect, inParallel, type OnMessage, type Visitor } from "./visitors.ts";

/** Most connects under way at once, so that they do not fill the server's backlog. */
const CONNECTING = 50;

/** A server, a service of its own behind it, and visitors connected to it. */
export type Contender = {
  name: string;
  server: Server;
  service: Service;
  visitors: Visitor[];
  /** Called with what a visitor receives; `visitor` is the index in `visitors`. Each load sets it. */
  onMessage: (visitor: number, ...what: Parameters<OnMessage>) => void;
  stop: () => Promise<void>;
};

export type ContenderOptions = {
  /** Name in the results; default: the server's kind. */
  name?: string;
  visitors?: number;
  /** Whether the service reuses connections for its callbacks, which is the default. Otherwise each has a new one. */
  keep?: boolean;
  /** The service refuses all messages, so nothing is delivered. */
  refuses?: boolean;
  /** The service posts no replies on its own, and records the sender of each message. */
  silent?: boolean;
  /** Data folder of the relay. */
  folder?: string;
  /** Settings of the server besides those of all of its kind. */
  env?: Record<string, string>;
};

/** Starts a service and a server of this kind in front of it, and connects its visitors. */
export async function startContender(kind: ServerKind, options: ContenderOptions = {}): Promise<Contender> {
  const { name = kind, visitors = 0, keep = true, refuses = false, silent = false, folder, env } = options;
  const service = await startService({ refuses, remembers: silent });
  const server = await startServer(kind, service.url, { ...(folder && { folder }), ...(env && { env }) });
  if (!silent) service.callTo(server.port, server.callbacks, keep);
  const contender: Contender = {
    name,
    server,
    service,
    visitors: [],
    onMessage: () => {},
    async stop() {
      for (const visitor of contender.visitors) visitor.cut();
      await server.stop();
      service.close();
    },
  };
  contender.visitors = await inParallel(visitors, CONNECTING, (i) =>
    connect(server, { onMessage: (...what) => contender.onMessage(i, ...what) }),
  );
  return contender;
}
