/**
 * Measures the cost of hints: of the check for lost ones, and of subscribing once for each node or once for each visitor. Compares
 * Redis with NOTIFY. Reads the server's CPU time from /proc, so it runs on Linux only.
 */
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "@redis/client";
import pg from "pg";
import { realClock } from "../../relay/src/base/clock.ts";
import { createBus } from "../../relay/src/bus/bus.ts";
import { createClusterBus } from "../../relay/src/bus/cluster.ts";
import { migrate } from "../../relay/src/db/migrate.ts";
import { openDatabase } from "../../relay/src/db/open.ts";
import { threadPositions } from "../../relay/src/records/visitors.ts";
import { startPostgres } from "../setup/postgres.ts";
import { startRedis } from "../setup/redis.ts";

/** Rows of the table `visitors`, and how many of them are connected to the node. */
const KNOWN = 200_000;
const CONNECTED = 50_000;
const CHECKS_MS = 20_000;
/** Visitors and hints of the comparison of subscriptions. */
const SUBSCRIBED = 10_000;
const HINTS = 20_000;
/** Hints that are sent without waiting for an answer. */
const AT_ONCE = 50;
/** Duration of a tick of the CPU times in /proc, in milliseconds. */
const TICK_MS = 10;

const ms = (usage: NodeJS.CpuUsage): number => (usage.user + usage.system) / 1_000;

/** CPU time of a process until now, in ms (proc(5), fields 14 and 15). */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** CPU time of these connections' processes. */
const totalCpuOf = (pids: readonly number[]): number => pids.map(cpuOf).reduce((a, b) => a + b, 0);

/** Prints what a node with many visitors spends on the check for lost hints. */
export async function printLostHintChecks(): Promise<void> {
  const postgres = await startPostgres({ shared_buffers: "128MB" });
  const db = await openDatabase(postgres.url("postgres"));
  await migrate(db);
  await db.run(
    `INSERT INTO visitors (id, site, created, head)
     SELECT 'v_' || md5(i::text), 'default', 1, 5 FROM generate_series(1, ${KNOWN}) i`,
  );
  const rows = await db.all<{ id: string }>(`SELECT id FROM visitors ORDER BY md5(id) LIMIT ${CONNECTED}`);
  const activity = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'";
  let checks = 0;
  const bus = createClusterBus({
    local: createBus(),
    link: { send: () => {}, onText: () => {}, close: async () => {} },
    node: "bench",
    clock: realClock,
    heads(visitors) {
      if (visitors.includes(rows[0]?.id ?? "")) checks++;
      return threadPositions(db, visitors);
    },
    refusals: async () => [],
    rating: async () => undefined,
    onError: (error) => console.error(error),
  });
  for (const { id } of rows) bus.subscribe(id, () => {});
  bus.start();
  await pause(CHECKS_MS / 4);
  const pids = (await db.all<{ pid: number }>(activity)).map(({ pid }) => pid);
  const stall = monitorEventLoopDelay({ resolution: 5 });
  stall.enable();
  const [from, server, begun] = [process.cpuUsage(), totalCpuOf(pids), checks];
  await pause(CHECKS_MS);
  const [own, others, count] = [ms(process.cpuUsage(from)), totalCpuOf(pids) - server, checks - begun];
  console.log(
    `A check for ${CONNECTED} visitors: ${Math.round(own / count)} ms of the relay's CPU, ${Math.round(others / count)} ms of PostgreSQL's; ${count} checks in ${CHECKS_MS / 1_000} s; longest stall of the event loop ${Math.round(stall.max / 1e6)} ms`,
  );
  await bus.stop();
  await db.close();
  await postgres.stop();
}

type Channels = {
  subscribe: (channels: readonly string[], onHint: () => void) => Promise<void>;
  /** Sends several hints at once. */
  send: (hints: readonly { channel: string; text: string }[]) => Promise<unknown>;
  /** CPU time of the server until now, in ms. */
  cpu: () => Promise<number>;
  close: () => Promise<void>;
};

async function redisChannels(): Promise<Channels> {
  const redis = await startRedis();
  const [from, to] = [createClient({ url: redis.url }), createClient({ url: redis.url })];
  await Promise.all([from.connect(), to.connect()]);
  return {
    async subscribe(channels, onHint) {
      await Promise.all(channels.map((channel) => to.subscribe(channel, onHint)));
    },
    send: (hints) => Promise.all(hints.map(({ channel, text }) => from.publish(channel, text))),
    async cpu() {
      const info = await from.info("cpu");
      const used = [...info.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm)].map(([, text]) => Number(text));
      return used.reduce((a, b) => a + b, 0) * 1_000;
    },
    async close() {
      for (const client of [from, to]) client.destroy();
      await redis.stop();
    },
  };
}

async function postgresChannels(): Promise<Channels> {
  const postgres = await startPostgres();
  const connectionString = postgres.url("postgres");
  const [from, to] = [new pg.Client({ connectionString }), new pg.Client({ connectionString })];
  await Promise.all([from.connect(), to.connect()]);
  const pids: number[] = [];
  for (const client of [from, to])
    pids.push((await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows[0]?.pid ?? 0);
  return {
    async subscribe(channels, onHint) {
      to.on("notification", onHint);
      for (const channel of channels) await to.query(`LISTEN "${channel}"`);
    },
    send: (hints) =>
      from.query("SELECT pg_notify(c, t) FROM unnest($1::text[], $2::text[]) AS hints (c, t)", [
        hints.map(({ channel }) => channel),
        hints.map(({ text }) => text),
      ]),
    cpu: async () => totalCpuOf(pids),
    async close() {
      await Promise.all([from.end(), to.end()]);
      await postgres.stop();
    },
  };
}

/** Subscribes and sends hints. @param perVisitor one channel for each visitor; otherwise one for the node */
async function printChannels(name: string, open: () => Promise<Channels>, perVisitor: boolean): Promise<void> {
  const channels = await open();
  const visitors = Array.from({ length: SUBSCRIBED }, (_, i) => `v_${i}_0123456789abcdef0123`);
  let received = 0;
  const done = Promise.withResolvers<void>();
  const begun = performance.now();
  await channels.subscribe(perVisitor ? visitors : ["porchlight"], () => {
    if (++received === HINTS) done.resolve();
  });
  const subscribed = performance.now() - begun;
  const [from, server] = [process.cpuUsage(), await channels.cpu()];
  for (let sent = 0; sent < HINTS; sent += AT_ONCE)
    await channels.send(
      Array.from({ length: AT_ONCE }, (_, i) => {
        const visitor = visitors[(sent + i) % SUBSCRIBED] ?? "";
        return { channel: perVisitor ? visitor : "porchlight", text: JSON.stringify({ visitor, head: sent }) };
      }),
    );
  await done.promise;
  const perHint = (total: number): number => Math.round((total * 1_000) / HINTS);
  const [own, others] = [perHint(ms(process.cpuUsage(from))), perHint((await channels.cpu()) - server)];
  console.log(
    `${name}, a channel for each ${perVisitor ? "visitor" : "node"}: subscribed in ${Math.round(subscribed)} ms; a hint costs ${own} µs of CPU in sender and receiver, ${others} µs in the server`,
  );
  await channels.close();
}

/** Prints what it costs to subscribe and to send hints, for both servers and both kinds of channels. */
export async function printSubscriptions(): Promise<void> {
  for (const [name, open] of [["Redis", redisChannels] as const, ["NOTIFY", postgresChannels] as const])
    for (const perVisitor of [false, true]) await printChannels(name, open, perVisitor);
}
