import { backoff } from "@porchlight/shared/backoff";
import type { Link } from "./cluster.ts";
import { createSendQueue } from "./send-queue.ts";

/** The channel of all nodes. Each node subscribes once, whatever the number of its visitors. */
const CHANNEL = "porchlight";
/** Waits between two attempts to connect. */
const RETRY_BASE_MS = 100;
const RETRY_CAP_MS = 2_000;

/** Most hints to Redis without an answer; further ones are dropped. */
const UNANSWERED_MAX = 1_000;

/** Sends several texts in one statement. */
const NOTIFY = "SELECT pg_notify($1, text) FROM unnest($2::text[]) AS text";

type Options = {
  /** Called with the reason when the link is lost, and again when it is back. */
  onState: (state: "lost" | "open", cause?: unknown) => void;
  /** Server and network must answer within this time (ms), otherwise the connection counts as lost. */
  answerMs?: number;
  /** How often (ms) the connection is tested, with or without hints. */
  testMs?: number;
};

const ANSWER_MS = 3_000;
const TEST_MS = 3_000;

type Client = InstanceType<typeof import("pg").Client>;

/** The connection of the hints on PostgreSQL. `client`: the one in use, or the one that is being opened. */
type Line = {
  url: string;
  options: Required<Options>;
  client: Client | undefined;
  open: boolean;
  closed: boolean;
  tries: number;
  timer: NodeJS.Timeout | undefined;
  hear: (text: string) => void;
};

/**
 * Carries hints by PostgreSQL's LISTEN and NOTIFY, on a separate connection. LISTEN needs a direct connection: behind PgBouncer
 * in transaction mode, use Redis.
 */
export async function openPostgresLink(url: string, options: Options): Promise<Link> {
  const listeners: ((text: string) => void)[] = [];
  const hear = (text: string): void => {
    for (const listener of listeners) listener(text);
  };
  const rest = { client: undefined, open: false, closed: false, tries: 0, timer: undefined };
  const line: Line = { url, options: { answerMs: ANSWER_MS, testMs: TEST_MS, ...options }, hear, ...rest };
  const notify = createSendQueue((texts) => ask(line, NOTIFY, [CHANNEL, texts]));
  await openLine(line);
  // A connection that only listens would not show that the server or the network is gone.
  const tests = setInterval(() => void ask(line, "SELECT 1"), line.options.testMs);
  return {
    send(text) {
      // Hints that cannot be sent now are lost: they would come too late.
      if (line.open) notify(text);
    },
    onText: (listener) => void listeners.push(listener),
    async close() {
      line.closed = true;
      clearInterval(tests);
      clearTimeout(line.timer);
      await line.client?.end().catch(() => {});
    },
  };
}

/** Opens the connection and listens. After a failure, tries again later. Never rejects. */
async function openLine(line: Line): Promise<void> {
  const { default: pg } = await import("pg");
  const { answerMs } = line.options;
  const limits = { connectionTimeoutMillis: answerMs, query_timeout: answerMs };
  const named = { connectionString: line.url, application_name: "porchlight hints", keepAlive: true };
  const client: Client = new pg.Client({ ...named, ...limits });
  line.client = client;
  client.on("error", (cause) => lose(line, client, cause));
  client.on("end", () => lose(line, client));
  client.on("notification", ({ payload = "" }) => line.hear(payload));
  try {
    await client.connect();
    await client.query(`LISTEN ${CHANNEL}`);
  } catch (cause) {
    return lose(line, client, cause);
  }
  if (line.closed) return client.end();
  line.open = true;
  line.tries = 0;
  line.options.onState("open");
}

/** Runs a statement on an open connection. A failure, or no answer in time, ends the connection. */
async function ask(line: Line, sql: string, values: unknown[] = []): Promise<void> {
  const { client } = line;
  if (client === undefined || !line.open) return;
  await client.query(sql, values).catch((cause: unknown) => lose(line, client, cause));
}

/** Gives up a connection, and opens another one later. Does nothing if another one has already replaced it. */
function lose(line: Line, client: Client, cause?: unknown): void {
  if (line.closed || client !== line.client) return;
  if (line.open) line.options.onState("lost", cause);
  line.client = undefined;
  line.open = false;
  // While a statement waits for its answer, `end` closes the connection without waiting for the server.
  void client.end().catch(() => {});
  const wait = backoff(line.tries++, RETRY_BASE_MS, RETRY_CAP_MS, Math.random);
  line.timer = setTimeout(() => void openLine(line), wait);
}

/** Carries hints by publish and subscribe of Redis or Valkey, on two connections. The client reconnects automatically. */
export async function openRedisLink(
  url: string,
  { onState, answerMs = ANSWER_MS, testMs = TEST_MS }: Options,
): Promise<Link> {
  const { createClient } = await import("@redis/client");
  const listeners: ((text: string) => void)[] = [];
  const reconnectStrategy = (tries: number): number => backoff(tries, RETRY_BASE_MS, RETRY_CAP_MS, Math.random);
  // A test without an answer is not repeated, so a frozen connection is idle and ends after this time.
  const socket = { reconnectStrategy, connectTimeout: answerMs, socketTimeout: testMs + answerMs };
  const common = { url, socket, pingInterval: testMs };
  // Hints that cannot be sent now are lost: they would come too late.
  const sender = createClient({ ...common, disableOfflineQueue: true, commandsQueueMaxLength: UNANSWERED_MAX });
  const receiver = createClient(common);
  let last: "lost" | "open" | undefined;
  const changeState = (state: "lost" | "open", cause?: unknown): void => {
    if (state !== last) onState(state, cause);
    last = state;
  };
  receiver.on("error", (error) => changeState("lost", error)).on("ready", () => changeState("open"));
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
