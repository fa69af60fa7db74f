/**
 * `npm run bench`: the relay beside the least that can do the same job, in the same run, on the same machine. Absolute
 * numbers drift with the machine; the ratios are what counts. Writes `figures.json` beside this file.
 */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type Client, connectMany } from "./client.ts";
import { measurePage } from "./page.ts";
import { type Measured, start } from "./process.ts";
import { SECRET } from "./servers.ts";
import { startMock } from "./service.ts";

const ROUNDS = 5;
const VISITORS = 200;
const ROUND_MS = 4_000;
const IDLE = 10_000;
/** Sockets opened before the count starts, so that what a process grows once is not counted as theirs. */
const WARM = 1_000;

type Kind = "floor" | "relay";
const KINDS: readonly Kind[] = ["floor", "relay"];
type Trip = { perSecond: number; p50: number; p99: number; cpu: number };

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const quantile = (sorted: readonly number[], q: number): number => sorted[Math.floor(sorted.length * q)] ?? 0;

/** Visitor message → service → callback → visitor, one in flight per visitor, for a few seconds. */
async function trips(server: Measured, clients: readonly Client[]): Promise<Trip> {
  const times: number[] = [];
  const before = (await server.usage()).cpu;
  const begin = performance.now();
  const end = begin + ROUND_MS;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        const sent = performance.now();
        await client.ask("Do you ship to Norway?");
        times.push(performance.now() - sent);
      }
    }),
  );
  const seconds = (performance.now() - begin) / 1_000;
  const cpu = ((await server.usage()).cpu - before) / times.length;
  times.sort((a, b) => a - b);
  return { perSecond: times.length / seconds, p50: quantile(times, 0.5), p99: quantile(times, 0.99), cpu };
}

/** Bytes of memory that one idle, greeted socket costs. */
async function idle(kind: Kind, service: string): Promise<number> {
  const server = await start(kind, service);
  const warm = await connectMany(server.port, WARM);
  const before = (await server.usage()).rss;
  const clients = await connectMany(server.port, IDLE);
  const bytes = ((await server.usage()).rss - before) / IDLE;
  for (const client of [...warm, ...clients]) client.close();
  await server.stop();
  return bytes;
}

async function roundTrips(service: Awaited<ReturnType<typeof startMock>>): Promise<Record<Kind, Trip[]>> {
  const results: Record<Kind, Trip[]> = { floor: [], relay: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const kind of KINDS) {
      const server = await start(kind, service.url);
      service.callTo(server.port, kind === "relay" ? `/callbacks/reply/${SECRET}` : "/");
      const clients = await connectMany(server.port, VISITORS);
      results[kind].push(await trips(server, clients));
      for (const client of clients) client.close();
      await server.stop();
    }
  }
  return results;
}

const service = await startMock();
const done = await roundTrips(service);
const memory: Record<Kind, number> = {
  floor: await idle("floor", service.url),
  relay: await idle("relay", service.url),
};
await service.close();

const summary = (trips: readonly Trip[]) => ({
  perSecond: Math.round(median(trips.map((trip) => trip.perSecond))),
  p50: Number(median(trips.map((trip) => trip.p50)).toFixed(1)),
  p99: Number(median(trips.map((trip) => trip.p99)).toFixed(1)),
  cpuMicroseconds: Math.round(median(trips.map((trip) => trip.cpu))),
});
const ratios = done.relay.map((trip, i) => trip.perSecond / (done.floor[i]?.perSecond ?? Number.NaN));
const figures = {
  command: "npm run bench",
  machine: { cores: availableParallelism(), node: process.version },
  roundTrip: {
    visitors: VISITORS,
    floor: summary(done.floor),
    relay: summary(done.relay),
    ratio: Number(median(ratios).toFixed(2)),
    ratioRange: [Math.min(...ratios), Math.max(...ratios)].map((ratio) => Number(ratio.toFixed(2))),
  },
  idleSocket: {
    sockets: IDLE,
    floorBytes: Math.round(memory.floor),
    relayBytes: Math.round(memory.relay),
    ratio: Number((memory.relay / memory.floor).toFixed(2)),
  },
  page: await measurePage(),
};
writeFileSync(join(import.meta.dirname, "figures.json"), `${JSON.stringify(figures, null, 2)}\n`);
console.log(JSON.stringify(figures, null, 2));
process.exit(0);
