import { backoff } from "@porchlight/shared/backoff";
import type { Link } from "./cluster.ts";

/** The channel of all nodes. Each node subscribes once, whatever the number of its visitors. */
const CHANNEL = "porchlight";
/** Waits between two attempts to connect. */
const RETRY_BASE_MS = 100;
const RETRY_CAP_MS = 2_000;

/** Sends several texts in one statement. */
const NOTIFY = "SELECT pg_notify($1, text) FROM unnest($2::text[]) AS text";

/** Sends texts one batch after the other, because a connection runs one statement at a time. */
function inTurn(send: (texts: readonly string[]) => Promise<void>): (text: string) => void {
  const waiting: string[] = [];
  let sending = false;
  return async (text) => {
    waiting.push(text);
    if (sending) return;
    sending = true;
    while (waiting.length > 0) await send(waiting.splice(0)).catch(() => {});
    sending = false;
  };
}

type Options = {
  /** Called with the reason when the link is lost, and again when it is back. */
  onState: (state: "lost" | "open", cause?: unknown) => void;
};

/**
 * Carries hints by PostgreSQL's LISTEN and NOTIFY, on a separate connection. LISTEN needs a direct connection: behind PgBouncer
 * in transaction mode, use Redis.
 */
export async function openPostgresLink(url: string, { onState }: Options): Promise<Link> {
  const { default: pg } = await import("pg");
  const listeners: ((text: string) => void)[] = [];
  let client: InstanceType<typeof pg.Client> | undefined;
  let closed = false;
  let tries = 0;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const fresh = new pg.Client({ connectionString: url, application_name: "porchlight hints", keepAlive: true });
    fresh.on("error", lose);
    fresh.on("end", () => lose());
    fresh.on("notification", ({ payload = "" }) => {
      for (const listener of listeners) listener(payload);
    });
    await fresh.connect();
    await fresh.query(`LISTEN ${CHANNEL}`);
    if (closed) return fresh.end();
    client = fresh;
    tries = 0;
    onState("open");
  }

  function lose(cause?: unknown): void {
    if (closed || timer !== undefined) return;
    if (client !== undefined) onState("lost", cause);
    client = undefined;
    timer = setTimeout(
      () => {
        timer = undefined;
        connect().catch(lose);
      },
      backoff(tries++, RETRY_BASE_MS, RETRY_CAP_MS, Math.random),
    );
  }

  const notify = inTurn(async (texts) => void (await client?.query(NOTIFY, [CHANNEL, texts])));
  await connect().catch(lose);
  return {
    send(text) {
      // Hints that cannot be sent now are lost: they would come too late.
      if (client !== undefined) notify(text);
    },
    onText: (listener) => void listeners.push(listener),
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}

/** Carries hints by publish and subscribe of Redis or Valkey, on two connections. The client reconnects automatically. */
export async function openRedisLink(url: string, { onState }: Options): Promise<Link> {
  const { createClient } = await import("@redis/client");
  const listeners: ((text: string) => void)[] = [];
  const socket = { reconnectStrategy: (tries: number) => backoff(tries, RETRY_BASE_MS, RETRY_CAP_MS, Math.random) };
  // Hints that cannot be sent now are lost: they would come too late.
  const sender = createClient({ url, socket, disableOfflineQueue: true });
  const receiver = createClient({ url, socket });
  receiver.on("error", (error) => onState("lost", error)).on("ready", () => onState("open"));
  sender.on("error", () => {});
  const ready = Promise.all([
    sender.connect(),
    receiver.connect().then(() =>
      receiver.subscribe(CHANNEL, (text) => {
        for (const listener of listeners) listener(text);
      }),
    ),
  ]);
  // A relay starts without Redis too: it finds missed news in the database.
  await Promise.race([ready.catch(() => {}), new Promise((resolve) => setTimeout(resolve, RETRY_CAP_MS))]);
  return {
    send(text) {
      void sender.publish(CHANNEL, text).catch(() => {});
    },
    onText: (listener) => void listeners.push(listener),
    async close() {
      for (const client of [sender, receiver]) client.destroy();
    },
  };
}
