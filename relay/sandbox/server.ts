/**
 * The sandbox: the messaging service on this machine, strict to its interface, for development, tests and demos.
 *
 *   const sandbox = await startSandbox({ config: { callbackUrl: `${relay}/callbacks/reply/${secret}` } });
 *   sandbox.url                                             // http://127.0.0.1:41234/v1: give it to the relay
 *   sandbox.config.apiKey                                   // has + / = & in it, on purpose
 *   await sandbox.until((s) => s.messages().length === 3);
 *   await sandbox.close();
 *
 * Make it fail:
 *   sandbox.failNext("incoming", 2, 503);                                  // before anything happens
 *   sandbox.failNext("incoming", 1, { kind: "status", status: 500, when: "after" }); // "500 but processed"
 *   sandbox.failNext("send", 1, { kind: "hangRequest", when: "after" });   // "timeout but processed"
 *   sandbox.failNext("incoming", 1, { kind: "delay", ms: 300 });           // the reply overtakes the answer
 *   sandbox.configure({ profile: "chaos", rateLimit: 0 });                 // seeded: startSandbox({ config: { seed: 7 } })
 *
 * Make it reply:
 *   sandbox.configure({ botScript: "burst" });                             // echo burst silent slow markdown … faq
 *   sandbox.configure({ botScript: [{ match: "price", parts: [{ text: "9 euros", afterMs: 50 }] }] });
 *   sandbox.seed({ campaigns: { pricing: "markdown" }, lists: ["leads"], subAccounts: [{ email: "a@b.example" }] });
 *   const reply = await sandbox.humanReply({ fromId, body: "A person here" });   // reply.status: Sent or Failed
 *   await sandbox.callbackTo({ toId: "somebody-else" });
 *   await sandbox.redeliver(reply.messageId);
 *   await sandbox.recharge({ email: "a@b.example", repeat: 2, parallel: true });
 *
 * Two days later, at once:
 *   sandbox.configure({ clock: "virtual", botScript: "followUps" });
 *   await sandbox.advance(48 * 3_600_000);
 *
 * options.ts holds all options, profiles.ts the four profiles. control.ts lists the same operations over HTTP
 * (`/__sandbox/…`). A person answers visitors at `/`. From a terminal: `porchlight sandbox --profile chaos` (main.ts).
 */

import { createServer, type IncomingMessage as Request, type ServerResponse as Response } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { seededRandom } from "@porchlight/shared/seeded-random";
import { Hono } from "hono";
import { createApi } from "./api.ts";
import { applyPatch, checkPatch, initialConfig } from "./config.ts";
import { controlApi } from "./control.ts";
import { refusalOf } from "./guard.ts";
import { inbox } from "./inbox/index.ts";
import { createOperator, type Operator } from "./operator.ts";
import type { SandboxConfig } from "./options.ts";
import { createService } from "./service.ts";

export type SandboxOptions = {
  /** 0 chooses any free port. */
  port?: number;
  host?: string;
  config?: Partial<SandboxConfig>;
  /** Serves over TLS with this certificate and key, in PEM, as the real service does. */
  tls?: { cert: string; key: string };
  /** Allows other machines to use the control API and the inbox. */
  openControl?: boolean;
  now?: () => number;
  /** Uniform in [0, 1). Default: from the option `seed`, else the platform's. */
  random?: () => number;
};

export type Sandbox = Operator & {
  /** The service's base address, ending in `/v1`. */
  url: string;
  /** Address of the inbox and the control API. */
  origin: string;
  /** The options, live. Changing them through `configure` also checks them. */
  config: SandboxConfig;
  /** Resolves when `predicate` is true; it is checked at every change. @throws Error after `timeoutMs` */
  until(predicate: (sandbox: Sandbox) => boolean, timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
};

/**
 * Milliseconds for which an idle connection stays open: longer than proxies and pools keep it, about a minute. If the sandbox
 * closed it first, the client's next request would be reset.
 */
const KEEP_ALIVE_MS = 75_000;

const HOUR_MS = 3_600_000;

function startConfig(options: SandboxOptions): SandboxConfig {
  const config = initialConfig();
  applyPatch(config, checkPatch(options.config ?? {}));
  return config;
}

/** Starts a sandbox. @throws ConfigError for an invalid option; the error of `listen` for a busy port */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, host = "127.0.0.1", now = Date.now, openControl = false } = options;
  const config = startConfig(options);
  // The drawn seed is visible among the options, so that a run of chaos can be repeated.
  config.seed ??= Math.floor(Math.random() * 2 ** 31);
  const random = options.random ?? seededRandom(config.seed);
  const service = createService(config, now, random);
  const operator = createOperator(service);
  const api = createApi(service);
  const app = new Hono().route("/__sandbox", controlApi(service, operator)).route("/", inbox(service, operator));
  const pages = getRequestListener(app.fetch);

  function serve(req: Request, res: Response): void {
    // A reset connection of a client must not end the sandbox.
    res.on("error", () => {});
    if (`${req.url}/`.startsWith(`${config.basePath}/`) || req.url?.startsWith(`${config.basePath}?`))
      return api(req, res);
    const refusal = refusalOf(req, openControl);
    if (refusal === undefined) return void pages(req, res);
    res.writeHead(403, { "Content-Type": "application/json" }).end(JSON.stringify({ error: refusal }));
  }

  const times = { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: HOUR_MS };
  const { tls } = options;
  const server = tls === undefined ? createServer(times, serve) : createTlsServer({ ...times, ...tls }, serve);
  server.on("clientError", (_, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const origin = originOf(tls === undefined ? "http" : "https", server.address() as AddressInfo);

  async function close(): Promise<void> {
    service.clear();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await service.poster.close();
  }

  const sandbox: Sandbox = {
    ...operator,
    url: `${origin}${config.basePath}`,
    origin,
    config,
    until: (predicate, timeoutMs = 120_000) => service.changes.until(() => predicate(sandbox), timeoutMs),
    close,
  };
  return sandbox;
}

const originOf = (scheme: string, { address, family, port }: AddressInfo): string =>
  `${scheme}://${family === "IPv6" ? `[${address}]` : address}:${port}`;
