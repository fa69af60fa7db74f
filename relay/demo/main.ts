/**
 * `npm start`: the relay, the sandbox of the service and a shop on another origin, in one process, so that Ctrl-C ends
 * everything. The threads are kept in `data/demo`; the sandbox keeps nothing. The relay accepts commands:
 * `npm run porchlight -- site`. `ALLOWED_ORIGINS` adds the origins of the reader's own pages to the shop's.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PublicSite } from "@porchlight/shared/site";
import { type Sandbox, startSandbox } from "../sandbox/server.ts";
import { readSettings } from "../src/base/config.ts";
import { acceptCommands } from "../src/cli/serve.ts";
import { createRelay } from "../src/relay.ts";
import { ANSWERS } from "./answers.ts";
import { startShop } from "./shop.ts";

const { env } = process;
const HOST = env.HOST ?? "127.0.0.1";
const PORTS = {
  PORT: env.PORT ?? "8787",
  SANDBOX_PORT: env.SANDBOX_PORT ?? "8788",
  SHOP_PORT: env.SHOP_PORT ?? "8789",
};

/** The chat's settings for this shop. */
const LOOK: Partial<PublicSite> = {
  title: "Moth & Filament",
  greeting: "Hello! What would you like to light?",
  suggestions: ["Do you ship to Norway?", "Which lamp for a reading chair?", "How long does it take to make one?"],
  accent: "#a8452b",
  // The bot and a person at the inbox both answer.
  responder: "mixed",
};

/** The running parts, newest last. They are stopped in reverse order. */
const started: { stop: () => Promise<void> }[] = [];

async function stop(code: number): Promise<void> {
  for (const part of started.splice(0).reverse()) await part.stop();
  process.exit(code);
}

/** Prints one sentence, stops everything and exits with 1. */
async function giveUp(sentence: string): Promise<never> {
  console.error(sentence);
  await stop(1);
  throw new Error(sentence);
}

function portOf(name: keyof typeof PORTS): number {
  const port = Number(PORTS[name]);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  console.error(`${name} is "${PORTS[name]}": it must be a port from 1 to 65535.`);
  process.exit(2);
}

const ports = { relay: portOf("PORT"), sandbox: portOf("SANDBOX_PORT"), shop: portOf("SHOP_PORT") };
const at = (port: number): string => `http://localhost:${port}`;

const dataDir = env.DATA_DIR || join(import.meta.dirname, "..", "..", "data", "demo");
/** The same origin by the other name of this machine; other origins unchanged. */
const byOtherName = (origin: string): string =>
  origin.replace(/\/\/(localhost|127\.0\.0\.1)(?=:|$)/, (_, name) =>
    name === "localhost" ? "//127.0.0.1" : "//localhost",
  );
const allowed = (env.ALLOWED_ORIGINS ?? "").split(",").flatMap((origin) => origin.trim() || []);
/** Origins of the reader's own pages: web servers print either name of this machine. */
const ownOrigins = [...new Set(allowed.flatMap((origin) => [origin, byOtherName(origin)]))];

/** The token of the operator's pages. */
const adminToken = (): string =>
  env.ADMIN_TOKEN || (JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8")) as { admin: string }).admin;

async function startDemoRelay(sandbox: Sandbox): Promise<void> {
  const read = readSettings({
    LOG_LEVEL: "error",
    ...env,
    DATA_DIR: dataDir,
    PORT: String(ports.relay),
    HOST,
    PUBLIC_URL: at(ports.relay),
    SERVICE_URL: sandbox.url,
    SERVICE_API_KEY: sandbox.config.apiKey,
    ALLOWED_ORIGINS: [at(ports.shop), byOtherName(at(ports.shop)), ...ownOrigins].join(","),
  });
  if ("problems" in read) return giveUp(read.problems.join("\n"));
  const sites = read.settings.sites.map((site) => ({ ...site, public: { ...site.public, ...LOOK } }));
  const relay = await acceptCommands(await createRelay({ ...read.settings, sites }));
  started.push(relay);
  sandbox.configure({ callbackUrl: `${relay.url}/callbacks/reply/${relay.callbackSecret}` });
}

async function start(): Promise<void> {
  const sandbox = await startSandbox({ host: HOST, port: ports.sandbox, config: { botScript: ANSWERS } });
  started.push({ stop: sandbox.close });
  await startDemoRelay(sandbox);
  started.push(await startShop(at(ports.relay), ports.shop, HOST));
}

/** One sentence with a remedy when a port is in use; otherwise the error's own text. */
function explain(error: NodeJS.ErrnoException & { port?: number }): string {
  if (error.code !== "EADDRINUSE") return error.stack ?? error.message;
  const name = Object.entries(PORTS).find(([, port]) => Number(port) === error.port)?.[0] ?? "PORT";
  return `Port ${error.port} is in use. Stop the program that uses it, or choose another port: ${name}=${Number(error.port) + 1000} npm start`;
}

process.once("SIGINT", () => void stop(0));
process.once("SIGTERM", () => void stop(0));

try {
  await start();
} catch (error) {
  await giveUp(explain(error as NodeJS.ErrnoException));
}

const ownPages =
  ownOrigins.length === 0
    ? "To open the chat on a page of your own, name its origin: ALLOWED_ORIGINS=http://localhost:5500 npm start"
    : `Pages of ${ownOrigins.join(" and ")} may open the chat with this tag:\n  <script async src="${at(ports.relay)}/widget.js" data-site="default"></script>`;

console.log(`
Porchlight is running, with a sandbox in place of the messaging service: nothing leaves this machine.

  ${at(ports.shop)}   The shop. Open the chat and ask: Do you ship to Norway?
  ${at(ports.sandbox)}   The sandbox's inbox. Read the conversations and answer as a person.
  ${at(ports.relay)}/admin   The operator's pages: the journey of each message. Sign in with ${adminToken()}
  ${at(ports.relay)}/c/default/snippet   Makes the tag for your own pages, with a live preview.

${ownPages}
Commands work on this relay while it runs, for example: npm run porchlight -- site
Ctrl-C ends everything.
`);
