import { backoff } from "@porchlight/shared/backoff";
import type { NodeLink } from "./cluster.ts";
import { createSendQueue } from "./send-queue.ts";

/** The channel of all nodes. Each node subscribes once, whatever the number of its visitors. */
const CHANNEL = "porchlight";
/** The first and the longest wait between two attempts to connect. */
const RETRY_BASE_MS = 100;
const RETRY_CAP_MS = 2_000;

/** Longest text of a hint, in bytes. PostgreSQL refuses a longer one, and with it all others of the statement (NOTIFY). */
const TEXT_MAX = 7_999;

/** Most hints to Redis that may wait for an answer; further ones are dropped. */
const UNANSWERED_MAX = 1_000;

/**
 * Sends several texts in one statement. The commit does not wait for the disk: a hint need not survive a crash. The
 * setting ends with the transaction, because behind a pooler other nodes use the same session.
 */
const NOTIFY =
  "SELECT set_config('synchronous_commit', 'off', true), count(pg_notify($1, text)) FROM unnest($2::text[]) AS text";

type Options = {
  /** Called with the reason when the link is lost, and again when it is back. */
  onState: (state: "lost" | "open", cause?: unknown) => void;
  /** Called with the size of a text that no node sends, in bytes. It is dropped before it is read. */
  onTooLong?: (bytes: number) => void;
  /** Server and network must answer within this time (ms), otherwise the connection counts as lost. */
  answerMs?: number;
  /** How often (ms) the connection is tested, with or without hints. */
  testMs?: number;
};

const ANSWER_MS = 3_000;
const TEST_MS = 3_000;

type Client = InstanceType<typeof import("pg").Client>;

/** The connection of the hints on PostgreSQL. `client`: the one in use, or the one that is being opened. */
type HintConnection = {
  url: string;
  options: Required<Options>;
  client: Client | undefined;
  /** Whether statements may be prepared: no pooler is between this process and the server. */
  direct: boolean;
  open: boolean;
  closed: boolean;
  tries: number;
  timer: NodeJS.Timeout | undefined;
  onText: (text: string) => void;
};

/**
 * Transports hints by PostgreSQL's LISTEN and NOTIFY, on a separate connection. LISTEN needs a direct connection: behind PgBouncer
 * in transaction mode, use Redis.
 */
export async function openPostgresLink(url: string, options: Options): Promise<NodeLink> {
  const listeners: ((text: string) => void)[] = [];
  const onText = (text: string): void => {
    for (const listener of listeners) listener(text);
  };
  const connection: HintConnection = {
    url,
    options: { answerMs: ANSWER_MS, testMs: TEST_MS, onTooLong: () => {}, ...options },
    onText,
    client: undefined,
    direct: false,
    open: false,
    closed: false,
    tries: 0,
    timer: undefined,
  };
  const notify = createSendQueue((texts) => query(connection, NOTIFY, [CHANNEL, texts]));
  await openConnection(connection);
  // A connection that only listens would not show that the server or the network is gone.
  const tests = setInterval(() => void query(connection, "SELECT 1"), connection.options.testMs);
  return {
    send(text) {
      // Hints that cannot be sent now are dropped: they would come too late.
      if (connection.open && Buffer.byteLength(text) <= TEXT_MAX) notify(text);
    },
    onText: (listener) => void listeners.push(listener),
    async close() {
      connection.closed = true;
      clearInterval(tests);
      clearTimeout(connection.timer);
      await connection.client?.end().catch(() => {});
    },
  };
}

/** Opens the connection and listens. After a failure, tries again later. Never rejects. */
async function openConnection(connection: HintConnection): Promise<void> {
  const { default: pg } = await import("pg");
  const { answerMs } = connection.options;
  const limits = { connectionTimeoutMillis: answerMs, query_timeout: answerMs };
  const named = { connectionString: connection.url, application_name: "porchlight hints", keepAlive: true };
  const client: Client = new pg.Client({ ...named, ...limits });
  connection.client = client;
  client.on("error", (cause) => reopenLater(connection, client, cause));
  client.on("end", () => reopenLater(connection, client));
  client.on("notification", ({ payload = "" }) => connection.onText(payload));
  try {
    await client.connect();
    await client.query(`LISTEN ${CHANNEL}`);
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    connection.direct = (client as { processID?: number | null }).processID === rows[0]?.pid;
  } catch (cause) {
    return reopenLater(connection, client, cause);
  }
  if (connection.closed) return client.end();
  connection.open = true;
  connection.tries = 0;
  connection.options.onState("open");
}

/** Runs a statement on an open connection. A failure, or no answer in time, ends the connection. */
async function query(connection: HintConnection, sql: string, values: unknown[] = []): Promise<void> {
  const { client, direct } = connection;
  if (client === undefined || !connection.open) return;
  const name = direct && values.length > 0 ? { name: "hints" } : {};
  await client.query({ text: sql, values, ...name }).catch((cause: unknown) => reopenLater(connection, client, cause));
}

/** Ends a lost connection and opens another one later. Does nothing if another one has already replaced it. */
function reopenLater(connection: HintConnection, client: Client, cause?: unknown): void {
  if (connection.closed || client !== connection.client) return;
  if (connection.open) connection.options.onState("lost", cause);
  connection.client = undefined;
  connection.open = false;
  // While a statement waits for its answer, `end` closes the connection without waiting for the server.
  void client.end().catch(() => {});
  const wait = backoff(connection.tries++, RETRY_BASE_MS, RETRY_CAP_MS, Math.random);
  connection.timer = setTimeout(() => void openConnection(connection), wait);
}

/**
 * Transports hints by publish and subscribe of Redis or Valkey, on two connections. The client reconnects automatically. A server
 * may refuse the channel: since Redis 7, a new user may use none (redis.io/docs/latest/operate/oss_and_stack/management/security/acl).
 */
export async function openRedisLink(
  url: string,
  { onState, onTooLong = () => {}, answerMs = ANSWER_MS, testMs = TEST_MS }: Options,
): Promise<NodeLink> {
  const { createClient, ErrorReply } = await import("@redis/client");
  const listeners: ((text: string) => void)[] = [];
  const reconnectStrategy = (tries: number): number => backoff(tries, RETRY_BASE_MS, RETRY_CAP_MS, Math.random);
  // A test without an answer is not repeated, so a frozen connection is idle and ends after this time.
  const socket = { reconnectStrategy, connectTimeout: answerMs, socketTimeout: testMs + answerMs };
  const common = { url, socket, pingInterval: testMs };
  // Hints that cannot be sent now are dropped: they would come too late.
  const sender = createClient({ ...common, disableOfflineQueue: true, commandsQueueMaxLength: UNANSWERED_MAX });
  const receiver = createClient(common);
  const report = createReport(onState);
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  // As bytes: another program on the same Redis can send 32 MB at once, the server's own limit (client-output-buffer-limit).
  function receive(bytes: Buffer): void {
    if (bytes.length > TEXT_MAX) return onTooLong(bytes.length);
    const text = bytes.toString();
    for (const listener of listeners) listener(text);
  }
  async function subscribe(): Promise<void> {
    try {
      await receiver.subscribe(CHANNEL, receive, true);
      report("subscribed");
    } catch (cause) {
      if (closed) return;
      report("lost", cause);
      timer = setTimeout(() => void subscribe(), RETRY_CAP_MS);
    }
  }
  receiver.on("error", (error) => report("lost", error)).on("ready", () => report("connected"));
  sender.on("error", () => {});
  const ready = Promise.all([sender.connect(), receiver.connect().then(subscribe)]);
  // A relay also starts without Redis: it finds missed news in the database.
  await Promise.race([ready.catch(() => {}), new Promise((resolve) => setTimeout(resolve, RETRY_CAP_MS))]);
  return {
    send(text) {
      void sender.publish(CHANNEL, text).then(
        () => report("sent"),
        (cause: unknown) => cause instanceof ErrorReply && report("refused", cause),
      );
    },
    onText: (listener) => void listeners.push(listener),
    async close() {
      closed = true;
      clearTimeout(timer);
      for (const client of [sender, receiver]) client.destroy();
    },
  };
}

/** What happens to the connections to Redis. `connected`: again, when the client has subscribed before. */
type RedisEvent = "connected" | "subscribed" | "lost" | "sent" | "refused";

/** Reports each change of the link once: it is open while hints arrive and the server accepts them, otherwise lost. */
function createReport(onState: Options["onState"]): (event: RedisEvent, cause?: unknown) => void {
  let last: "lost" | "open" | undefined;
  let [hasSubscribed, receives, refuses] = [false, false, false];
  return (event, cause) => {
    hasSubscribed ||= event === "subscribed";
    if (event === "sent" || event === "refused") refuses = event === "refused";
    else receives = event !== "lost" && hasSubscribed;
    const state = receives && !refuses ? "open" : "lost";
    // Before the first subscription, nothing is lost yet.
    if (state === last || (state === "lost" && cause === undefined)) return;
    last = state;
    onState(state, cause);
  };
}
