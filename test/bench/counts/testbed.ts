/** A relay in this process, with scripted visitors and a service that answers when the scenario tells it to. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSettings } from "../../../relay/src/base/config.ts";
import { createLog } from "../../../relay/src/base/log.ts";
import type { Database } from "../../../relay/src/db/database.ts";
import { openDatabase } from "../../../relay/src/db/open.ts";
import { createRelay } from "../../../relay/src/relay.ts";
import { UNLIMITED } from "../../unlimited.ts";
import { type Answer, listenForPosts } from "../wire/listener.ts";
import { type LoadClient, openLoadClient } from "../wire/load-client.ts";
import { createPoster, type Poster } from "../wire/poster.ts";
import { type CountingClock, createCountingClock } from "./clock.ts";
import { plain } from "./counters.ts";

const ORIGIN = "https://shop.example";
const SECRET = "a-callback-secret-for-counting";
/** Longest wait for a condition, in ms. */
const TIMEOUT_MS = 60_000;

/** A message that the relay has posted to the service: its sender, and a function that sends the service's answer. */
export type Posted = { fromId: string; answer: Answer };

/** A visitor's connection, and what it has received. */
export type Client = {
  connection: LoadClient;
  /** Text frames by their type, pings as `(ping)`. */
  frames: Map<string, number>;
  token: string;
  epoch: string;
  /** Newest number of the thread. */
  head: number;
  /** How many own messages were acknowledged (`sent`), how many were delivered, and how many replies arrived. */
  seen: { sent: number; delivered: number; replies: number };
};

export type Testbed = {
  file: string;
  clock: CountingClock;
  posted: Posted[];
  poster: Poster;
  /** Calls of the database's writing methods. */
  transactions: () => number;
  /** All clients so far. */
  clients: readonly Client[];
  connect: (known?: Client) => Promise<Client>;
  stop: () => Promise<void>;
};

/** Resolves once `condition` holds. @param clock is moved while this waits; absent: no timer of the relay fires */
export async function until(condition: () => boolean, clock?: CountingClock): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  for (let tries = 1; !condition(); tries++) {
    if (performance.now() > end) throw new Error(`Timed out while waiting for: ${String(condition)}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (tries % 20 === 0) clock?.move(50);
  }
}

/** A minimal stand-in for the built widget, so that nothing has to be built. */
function widgetIn(folder: string): string {
  const widget = join(folder, "widget");
  mkdirSync(join(widget, "assets"), { recursive: true });
  writeFileSync(join(widget, "loader.js"), '"__PORCHLIGHT__"');
  writeFileSync(
    join(widget, "manifest.json"),
    plain.stringify({ panel: "assets/panel.js", words: {}, snippet: "assets/panel.js" }),
  );
  for (const name of ["panel.js", "panel.js.gz", "panel.js.br"]) writeFileSync(join(widget, "assets", name), "");
  return widget;
}

function settingsIn(folder: string, service: string) {
  const config = join(folder, "config.json");
  // A high rate, so that the pacer does not delay anything.
  const account = { url: `${service}/v1`, key: "env:KEY", rate: 100_000 };
  const site = { account: "counted", origins: [ORIGIN] };
  writeFileSync(config, plain.stringify({ accounts: { counted: account }, sites: { default: site } }));
  const read = readSettings({
    PORT: "0",
    HOST: "127.0.0.1",
    KEY: "key",
    PORCHLIGHT_CONFIG: config,
    DATA_DIR: folder,
    CALLBACK_SECRET: SECRET,
    MESSAGES_PER_MINUTE: "0",
    ...UNLIMITED,
    SOCKETS_PER_ADDRESS: "0",
  });
  if ("problems" in read) throw new Error(read.problems.join("\n"));
  return read.settings;
}

/** Methods of the database that write nothing. */
const READING = new Set(["all", "each", "anyOf", "close"]);

/** The same database. Calls `onWrite` for each call of a method that writes. */
function watched(db: Database, onWrite: () => void): Database {
  return new Proxy(db, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== "function" || READING.has(String(name))) return value;
      return (...args: unknown[]) => {
        onWrite();
        return value.apply(target, args);
      };
    },
  });
}

/** Starts relay and service. @param connections on which the service posts its callbacks */
export async function startTestbed(connections: number): Promise<Testbed> {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-counts-"));
  const posted: Posted[] = [];
  const service = await listenForPosts((body, answer) => {
    posted.push({ fromId: (plain.parse(body) as { customData: { fromId: string } }).customData.fromId, answer });
  });
  const settings = settingsIn(folder, service.url);
  const clock = createCountingClock();
  let transactions = 0;
  const relay = await createRelay(settings, {
    clock,
    log: createLog({ level: "error", secrets: () => [] }),
    widget: widgetIn(folder),
    open: async (url) => watched(await openDatabase(url), () => transactions++),
  });
  const clients: Client[] = [];
  const poster = createPoster({ port: relay.port, path: `/callbacks/reply/${SECRET}`, connections, keep: true });

  return {
    file: settings.databaseUrl.slice("sqlite:".length),
    clock,
    posted,
    poster,
    transactions: () => transactions,
    clients,
    async connect(known) {
      const client = await greet(relay.port, known);
      clients.push(client);
      return client;
    },
    async stop() {
      for (const { connection } of clients) connection.cut();
      poster.close();
      service.close();
      const stopping = relay.stop();
      let stopped = false;
      void stopping.finally(() => (stopped = true));
      await until(() => stopped, clock);
      await stopping;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Frame = {
  t: string;
  token?: string;
  epoch?: string;
  head?: number;
  message?: { from: string; n: number; state?: string };
};

/** Counts a frame, and stores what the client must know of it. */
function record(client: Client, text: string): void {
  const frame = plain.parse(text) as Frame;
  client.frames.set(frame.t, (client.frames.get(frame.t) ?? 0) + 1);
  if (frame.t === "welcome") {
    client.token = frame.token ?? client.token;
    client.epoch = frame.epoch ?? "";
    client.head = frame.head ?? 0;
  }
  if (frame.message === undefined) return;
  client.head = Math.max(client.head, frame.message.n);
  if (frame.message.from === "reply") client.seen.replies++;
  else if (frame.message.state === "sent") client.seen.sent++;
  else if (frame.message.state === "delivered") client.seen.delivered++;
}

/** Connects a new or returning visitor and sends `hello`. Resolves after `welcome`. */
async function greet(port: number, known: Client | undefined): Promise<Client> {
  const client: Client = {
    connection: { send: () => {}, cut: () => {} },
    frames: new Map(),
    token: known?.token ?? "",
    epoch: "",
    head: 0,
    seen: { sent: 0, delivered: 0, replies: 0 },
  };
  client.connection = await openLoadClient({
    port,
    path: "/socket",
    origin: ORIGIN,
    onText: (text) => record(client, text),
    onPing: () => client.frames.set("(ping)", (client.frames.get("(ping)") ?? 0) + 1),
  });
  const resume = known === undefined ? {} : { token: known.token, epoch: known.epoch, since: known.head };
  client.connection.send(plain.stringify({ t: "hello", v: 1, site: "default", ...resume }));
  await until(() => client.frames.has("welcome"));
  return client;
}
