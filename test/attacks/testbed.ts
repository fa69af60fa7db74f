import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { openSqlite } from "../../relay/src/db/sqlite.ts";
import { type Harness, startHarness } from "../harness.ts";
import { IDENTITY_SECRET } from "../identities.ts";
import { caller, tokenFor } from "../tokens.ts";
import type { Visitor } from "../visitor.ts";
import { openRawClient, type RawClient } from "./raw-client.ts";

/** A visitor who has sent a message. `id`: the `fromId` under which the service knows them. */
export type KnownVisitor = { visitor: Visitor; id: string };

/**
 * The whole product in this process, with two sites and a sandbox, for attacks that do not try to exhaust memory or time. The
 * others use `Target`.
 */
export type Testbed = {
  harness: Harness;
  /** Number of attempts in this run: all `full` attempts in `npm run attacks`, a share of them in `npm test`. */
  count: (full: number) => number;
  /** A sample of `count(all.length)` items, spread over the whole list. */
  sample: <Item>(all: readonly Item[]) => Item[];
  /** An address that has not been used yet. */
  address: () => string;
  /** A connection from the site's own page. */
  connect: (address?: string) => Promise<RawClient>;
  /** Connects a new visitor, who sends the text. */
  knownVisitor: (text: string, site?: string) => Promise<KnownVisitor>;
  /** Posts a body to the callback address, or to another one. @returns the status */
  callback: (body: object | string, at?: { url?: string; address?: string }) => Promise<number>;
  /** Calls the server API of the default site. */
  api: ReturnType<typeof caller>;
  /** The header that authorizes calls of that API. */
  bearer: string;
  /** Resolves when no message waits for the service. */
  delivered: () => Promise<void>;
  /** Rows of all tables of the database, except the plots' samples: the relay adds one every minute. */
  rows: () => Promise<number>;
  /** Sets the content policy of the site's pages; empty: none. */
  setPolicy: (policy: string) => void;
  stop: () => Promise<void>;
};

const ENVIRONMENT = {
  IDENTITY_SECRET,
  TRUST_PROXY: "1",
  MESSAGES_PER_MINUTE: "0",
  SOCKETS_PER_ADDRESS: "0",
  UPLOADS_PER_MINUTE: "0",
  LOG_LEVEL: "debug",
};

/** A reply as the service posts it. */
export const replyOf = (toId: string, body: string, more: object = {}): object => ({
  contactId: "c1",
  messageId: randomUUID(),
  userId: "u",
  channel: "website",
  toId,
  body,
  ...more,
});

/** Tables that the relay writes on its own, by its clock or when it renews a session. */
const OWN_TABLES = ["series", "alerts", "past_alerts", "meta", "session_turns", "callback_fields"];

async function rowsOf(harness: Harness, table?: string): Promise<number> {
  const db = openSqlite(join(harness.dataDir, "porchlight.db"));
  const all = await db.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
  const tables = all.filter(({ name }) => (table ? name === table : !OWN_TABLES.includes(name)));
  let total = 0;
  for (const { name } of tables)
    total += (await db.all<{ n: number }>(`SELECT count(*) AS n FROM "${name}"`))[0]?.n ?? 0;
  await db.close();
  return total;
}

/** Starts the product. @param share share of the full number of attempts, 0 to 1 */
export async function startTestbed(share: number): Promise<Testbed> {
  const site = { identitySecret: "env:IDENTITY_SECRET" };
  let policy = "";
  const tag = { headers: (): Record<string, string> => (policy === "" ? {} : { "Content-Security-Policy": policy }) };
  const harness = await startHarness({
    tag,
    sandbox: { botActive: false, errorRate: [] },
    site,
    sites: { b: {} },
    env: ENVIRONMENT,
  });
  const token = await tokenFor(harness);
  let addresses = 0;
  const count = (full: number): number => Math.max(Math.min(full, 10), Math.ceil(full * share));
  const address = (): string => `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses++ & 255}`;
  return {
    harness,
    count,
    sample(all) {
      const step = all.length / count(all.length);
      return Array.from({ length: count(all.length) }, (_, n) => all[Math.floor(n * step)] as (typeof all)[number]);
    },
    address,
    async connect(from = address()) {
      const client = await openRawClient(harness.url, { origin: harness.host, address: from });
      if (client === undefined) throw new Error("The relay refused its own page");
      return client;
    },
    async knownVisitor(text, site = "default") {
      const visitor = harness.visitor({ site });
      await visitor.connect();
      await visitor.send(text);
      const message = () => harness.sandbox.messages().find(({ body }) => body === text);
      await harness.sandbox.until(() => message() !== undefined);
      return { visitor, id: message()?.fromId ?? "" };
    },
    async callback(body, { url = harness.callbackUrl, address: from = address() } = {}) {
      const response = await fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Forwarded-For": from },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
      await response.arrayBuffer();
      return response.status;
    },
    api: caller(harness, token),
    bearer: `Bearer ${token}`,
    async delivered() {
      while ((await rowsOf(harness, "outbox")) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    rows: () => rowsOf(harness),
    setPolicy(given) {
      policy = given;
    },
    stop: () => harness.stop(),
  };
}
