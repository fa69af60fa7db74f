import { CLOSE } from "@porchlight/shared/close";
import { HEARTBEAT_MS } from "@porchlight/shared/limits";
import type { Pong } from "@porchlight/shared/protocol";
import type { Database } from "../db/database.ts";
import { revokedAmong } from "../records/sessions.ts";
import { forgottenAmong, threadPositions } from "../records/visitors.ts";
import type { Live } from "./connection.ts";
import { handleNews } from "./feed.ts";
import { end, hasRoom, measure, sendText } from "./output.ts";
import type { Registry } from "./registry.ts";

/*
 * Each client gets a `pong` frame every 25 s: it shows the client's page that the connection works. Every second frame
 * carries a ping: its answer shows the relay that the client is still there. Without pings, a sleeping computer would stay
 * connected until TCP gives up after a quarter of an hour (WIDGET 3.2). The heartbeat also reads news from the database that the
 * bus lost.
 */

/**
 * If the bus loses no news, heartbeats are answered from memory. Only every 16th one reads the database, once in 400 s, as a
 * second safeguard. In a database with a million messages, the reads of one heartbeat take 8 µs of CPU or more.
 */
const DATABASE_BEAT = 16;

/** Sends the heartbeats that are due, and disconnects clients that did not answer the previous ping. */
export function sendHeartbeats(registry: Registry): void {
  const { items, late } = registry.heartbeats.due();
  const doubtful: Live[] = [];
  for (const live of items) {
    // After a pause of this process, answers to earlier pings may not have been read yet.
    if (live.awaitsPong && !late && !mayAnswerLate(live)) {
      end(registry, live.connection, CLOSE.overload);
      continue;
    }
    live.beats++;
    if (readsDatabase(registry, live)) doubtful.push(live);
    else beatFromMemory(registry, live);
  }
  if (doubtful.length > 0)
    answerHeartbeats(registry, doubtful, true).catch((error: unknown) => endAll(registry, doubtful, error));
}

/** Sends a heartbeat without reading the database. */
function beatFromMemory(registry: Registry, live: Live): void {
  try {
    if (live.connection.phase === live) sendPong(registry, live, live.sent, true);
  } catch (error) {
    endAll(registry, [live], error);
  }
}

/** Closes clients whose heartbeat failed. */
function endAll(registry: Registry, lives: readonly Live[], error: unknown): void {
  registry.deps.log("relay.internal", { where: "heartbeat", cause: String(error) });
  for (const { connection } of lives) end(registry, connection, CLOSE.internal);
}

/** Whether a client's present heartbeat reads the database. Clients that connected together read at different heartbeats, by id. */
const readsDatabase = ({ deps }: Registry, { beats, visitor }: Live): boolean =>
  deps.bus.lossless !== true || (beats + visitor.charCodeAt(visitor.length - 1)) % DATABASE_BEAT === 0;

/** Whether a client's answer may be one interval late, because the ping waits behind unread bytes. Allowed once per ping. */
function mayAnswerLate(live: Live): boolean {
  if (live.pongLate || live.unread === 0) return false;
  live.pongLate = true;
  return true;
}

/**
 * Compares clients with the database, and sends each its `pong` frame. While the database does not answer, the clients stay
 * connected: they would come back only up to half a minute after the outage.
 * @param pings whether the frames may carry pings. They carry none after a slow read: the next heartbeat would come too soon
 *   after the ping, and would close a client whose answer is still on its way.
 */
export async function answerHeartbeats(registry: Registry, due: readonly Live[], pings: boolean): Promise<void> {
  const { db, log, clock } = registry.deps;
  const began = clock.uptime();
  const stored = await storedAbout(db, due).catch((error: unknown) => {
    log("database.failing", { cause: String(error) });
    return undefined;
  });
  const mayPing = pings && clock.uptime() - began < HEARTBEAT_MS / 2;
  for (const live of due) {
    if (live.connection.phase !== live) continue;
    if (stored === undefined) sendPong(registry, live, live.sent, mayPing);
    else compare(registry, live, stored, mayPing);
  }
}

/** What is stored about clients: their threads, which sessions have ended, and which visitors are no longer used. */
async function storedAbout(db: Database, due: readonly Live[]) {
  const threads = await threadPositions(
    db,
    due.map(({ visitor }) => visitor),
  );
  const revoked = await revokedAmong(
    db,
    due.map(({ session }) => session),
  );
  const without = due.filter(({ visitor }) => !threads.has(visitor)).map(({ visitor }) => visitor);
  const forgotten = without.length === 0 ? undefined : await forgottenAmong(db, without);
  return { threads, revoked, forgotten };
}
type Stored = Awaited<ReturnType<typeof storedAbout>>;

/** Sends a client what it lacks and its `pong` frame, or ends a connection that may no longer read the thread. */
function compare(registry: Registry, live: Live, { threads, revoked, forgotten }: Stored, pings: boolean): void {
  const row = threads.get(live.visitor);
  const successor = forgotten?.get(live.visitor);
  // The visitor was deleted, or became a user: only the user's own sessions may read the thread.
  if (successor !== undefined) end(registry, live.connection, successor === null ? CLOSE.gone : CLOSE.badToken);
  else if (revoked.has(live.session) || (row?.generation ?? live.generation) !== live.generation)
    end(registry, live.connection, CLOSE.badToken);
  else sendNewsAndPong(registry, live, row, pings);
}

/** Sends the news that a client lacks, then its heartbeat. */
function sendNewsAndPong(
  registry: Registry,
  live: Live,
  row: { head: number; read: number } = { head: 0, read: 0 },
  pings: boolean,
): void {
  const { head, read } = row;
  handleNews(registry, live, { visitor: live.visitor, head, read });
  if (live.connection.phase === live) sendPong(registry, live, head, pings);
}

/** A pong as text. `JSON.stringify` takes longer, and idle clients get almost nothing else. */
const pongText = ({ t, head }: Pong): string => `{"t":"${t}","head":${head}}`;

/** Sends a heartbeat. @param head the newest number of the thread @param pings whether it may carry a ping */
function sendPong(registry: Registry, live: Live, head: number, pings: boolean): void {
  const text = pongText({ t: "pong", head });
  const { transport } = live;
  if (!pings || transport.sendHeartbeat === undefined) return sendText(registry, live, text);
  // A client that has read everything needs no measurement. Any other one gets pings too, because it may be gone.
  if (live.unread > 0 && !hasRoom(registry, live, text)) return;
  const ping = live.beats % 2 === 1;
  if (ping) {
    live.awaitsPong = true;
    live.pongLate = false;
    live.connection.pongs = 0;
  }
  transport.sendHeartbeat(text, ping);
  measure(registry, live);
}
