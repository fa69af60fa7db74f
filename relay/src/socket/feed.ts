import { CLOSE } from "@porchlight/shared/close";
import type { ErrorFrame, Message } from "@porchlight/shared/protocol";
import type { News } from "../bus/bus.ts";
import { changesSince } from "../records/threads.ts";
import type { Connection, Live } from "./connection.ts";
import { BUFFER_MAX, end, FAIR_SHARE, sendFrame, slotForConnection } from "./output.ts";
import type { Registry } from "./registry.ts";

/** Number of changes that are read from the thread at once: with long texts, a third of a millisecond of work and 80 KB. */
const BATCH = 20;
/** Interval (ms) at which the relay checks whether a slow client has room for more. */
const ROOM_MS = 20;
/** If the service does not answer within this time (ms), the client no longer shows that it is working (WIDGET 8.2). */
const WORKING_MS = 120_000;

/**
 * Sends every change after `sent`, in order, to a client that has fallen behind. It waits for a slot before each part: 180 clients
 * that each lacked a thousand long messages held up all others for two seconds (RELIABILITY A28).
 */
export async function readLog(registry: Registry, live: Live): Promise<void> {
  live.readAgain = true;
  if (live.reading) return;
  live.reading = true;
  while (live.readAgain && live.connection.phase === live) {
    await slotForConnection(registry, live.connection, live.address);
    if (live.connection.phase !== live) break;
    live.readAgain = false;
    const changes = await changesSince(registry.deps.db, live.visitor, live.sent, BATCH);
    sendChanges(registry, live, changes);
    if (changes.length < BATCH) continue;
    live.readAgain = true;
    await waitForRoom(registry, live);
  }
  live.reading = false;
}

/** Waits until a client has read most of what was sent. A client that never reads misses its heartbeats, and is disconnected. */
async function waitForRoom({ deps }: Registry, live: Live): Promise<void> {
  while (live.connection.phase === live && live.transport.buffered() > FAIR_SHARE)
    await new Promise<void>((resolve) => void deps.clock.after(ROOM_MS, resolve));
}

/** Sends changes in order. A client that reads too slowly is disconnected, and gets the rest after it reconnects. */
function sendChanges(registry: Registry, live: Live, changes: readonly Message[]): void {
  for (const message of changes) {
    sendFrame(registry, live, { t: "message", after: live.sent, message });
    live.sent = message.n;
    if (message.from !== "reply" || message.pos <= live.replied) continue;
    live.replied = message.pos;
    if (live.connection.phase === live) registry.pushes.add(live.visitor, message.pos, registry.deps.clock.now());
  }
  if (awaitsReply(registry, live, changes.at(-1))) sendFrame(registry, live, { t: "typing", on: true });
  if (live.transport.buffered() > BUFFER_MAX) end(registry, live.connection, CLOSE.overload);
}

/** Whether the newest change shows that the service accepted a message less than `WORKING_MS` ago, and no reply followed. */
const awaitsReply = ({ deps }: Registry, live: Live, newest: Message | undefined): boolean =>
  newest?.from === "visitor" &&
  newest.state === "delivered" &&
  newest.pos > live.replied &&
  deps.clock.now() - newest.at < WORKING_MS;

/** Sends the changes in the news if the client has all changes before them; otherwise reads the log. */
function follow(registry: Registry, live: Live, { changes = [] }: News): void {
  if (!live.reading && changes[0]?.n === live.sent + 1) sendChanges(registry, live, changes);
  else void closeOnFailure(registry, live.connection, readLog(registry, live));
}

/**
 * Tells the client that the service refused a form. Does nothing if the client knows that or will learn it from the awaited
 * answer: several nodes may publish one refusal.
 */
export function sendFormError(registry: Registry, live: Live, error: ErrorFrame): void {
  const form = error.id ?? "";
  if (live.forms?.has(form)) return;
  live.forms ??= new Map();
  live.forms.set(form, "refused");
  sendFrame(registry, live, error);
}

/** Handles news about a client's visitor. */
export function handleNews(registry: Registry, live: Live, news: News): void {
  const { connection } = live;
  if (news.gone) return end(registry, connection, CLOSE.gone);
  if (news.ended === live.session || news.ended === "*") return end(registry, connection, CLOSE.badToken);
  if (news.error !== undefined) sendFormError(registry, live, news.error);
  if (news.read !== undefined && news.read > live.read) {
    live.read = news.read;
    sendFrame(registry, live, { t: "status", read: news.read });
  }
  if (news.rating !== undefined) sendFrame(registry, live, { t: "status", rating: news.rating });
  if (news.head > live.sent) follow(registry, live, news);
}

/** Closes a connection when work for it fails; other connections are not affected. */
export function closeOnFailure(registry: Registry, connection: Connection, work: Promise<void>): Promise<void> {
  return work.catch((error: unknown) => {
    registry.deps.log("relay.internal", { where: "connection", cause: String(error) });
    end(registry, connection, CLOSE.internal);
  });
}
