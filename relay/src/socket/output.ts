import { CLOSE, type Ending } from "@porchlight/shared/close";
import type { Message, RelayFrame } from "@porchlight/shared/protocol";
import { prefix48Of } from "../base/address.ts";
import type { Connection, Live } from "./connection.ts";
import type { Registry } from "./registry.ts";

/**
 * Bytes that may wait for one client. Above this, its connection is closed. The log keeps everything, and the client gets the
 * rest when it reconnects.
 */
export const BUFFER_MAX = 1024 * 1024;
/**
 * Bytes that may wait for all clients together. Above this, clients with more than their fair share are closed, and then those
 * that have been slow for longest.
 */
const BUFFERS_MAX = 32 * 1024 * 1024;
/** Bytes that may wait for any client, even when those of all clients exceed `BUFFERS_MAX`. */
export const FAIR_SHARE = 64 * 1024;

/** Replaces a file's key with a link for the client. */
function withLink({ deps }: Registry, message: Message): Message {
  const { media } = message;
  return media === undefined ? message : { ...message, media: { ...media, url: deps.link(media.url, media.type) } };
}

/** Replaces the keys of files with links in every message of a frame. */
function withLinks(registry: Registry, frame: RelayFrame): RelayFrame {
  if (frame.t === "message") return { ...frame, message: withLink(registry, frame.message) };
  if (frame.t === "history")
    return { ...frame, messages: frame.messages.map((message) => withLink(registry, message)) };
  return frame;
}

/** Updates how many bytes wait for a client. @returns that number */
export function measure(registry: Registry, live: Live): number {
  const unread = live.transport.buffered();
  if (unread === live.unread) return unread;
  registry.unread += unread - live.unread;
  live.unread = unread;
  if (unread > 0) registry.slow.add(live);
  else registry.slow.delete(live);
  return unread;
}

/**
 * Sends a frame. Only this function and `sendText` write to clients, over every transport, so that every client that does not
 * read is disconnected (RELIABILITY A28).
 */
export function sendFrame(registry: Registry, live: Live, frame: RelayFrame): void {
  if (live.connection.phase !== live) return;
  sendText(registry, live, JSON.stringify(withLinks(registry, frame)));
}

/** Sends a frame's text. */
export function sendText(registry: Registry, live: Live, text: string): void {
  if (!hasRoom(registry, live, text)) return;
  live.transport.send(text);
  measure(registry, live);
  makeRoom(registry);
}

/**
 * Closes clients while the unread bytes of all exceed the limit: a relay with 512 MB of memory ended when twelve thousand
 * clients each left less than their fair share unread (RELIABILITY A28). The clients that have been slow for longest are closed
 * first, because an honest client continues to read within moments.
 */
function makeRoom(registry: Registry): void {
  for (const live of registry.slow) {
    if (registry.unread <= BUFFERS_MAX) return;
    if (measure(registry, live) > 0) endSlow(registry, live);
  }
}

/** Closes a client that reads too slowly. */
function endSlow(registry: Registry, { connection }: Live): void {
  registry.deps.log("socket.refused", { meaning: "reads too slowly" });
  end(registry, connection, CLOSE.overload);
}

/**
 * Closes a client that reads too slowly for another frame. One frame of any length is always allowed, unless the unread bytes
 * of all clients exceed the limit.
 * @returns whether the frame may be sent
 */
export function hasRoom(registry: Registry, live: Live, text: string): boolean {
  const unread = measure(registry, live);
  const exceedsShare = registry.unread + text.length > BUFFERS_MAX && unread + text.length > FAIR_SHARE;
  const full = unread > BUFFER_MAX || exceedsShare;
  if (full) endSlow(registry, live);
  return !full;
}

/**
 * Waits for a slot of an address in the fair queue. An IPv6 address counts as its /48.
 * @param isGone whether the client has left
 * @param continues whether the slot goes before those of the address that begin work, see `FairQueue`
 */
export const slotForAddress = (
  { fairQueue }: Registry,
  address: string,
  isGone: () => boolean,
  continues = false,
): Promise<void> => fairQueue(prefix48Of(address) ?? address, isGone, continues);

/**
 * Waits for a slot of a connection. A closed connection takes none, so nobody waits behind a flood of reconnections.
 * @param continues whether the connection goes before those of its address whose handshake has not begun. Its `hello` does: when
 *   thousands of clients return at once, fewer of them are half open at the same time (RELIABILITY A28)
 */
export const slotForConnection = (
  registry: Registry,
  connection: Connection,
  address: string,
  continues = false,
): Promise<void> => slotForAddress(registry, address, () => connection.phase.name === "closed", continues);

/** Closes a connection; does nothing when it is closed already. */
export function end(registry: Registry, connection: Connection, ending: Ending): void {
  const { phase } = connection;
  if (phase.name === "closed") return;
  forget(registry, connection);
  phase.transport.close(ending);
}

/** Disconnects a visitor whom the site blocks. A frame tells the client first. */
export function endBlocked(registry: Registry, live: Live): void {
  registry.deps.log("socket.refused", { meaning: "blocked" });
  sendFrame(registry, live, { t: "error", code: "blocked" });
  end(registry, live.connection, CLOSE.notAllowed);
}

/** Removes a connection whose transport is closed. */
export function forget(registry: Registry, connection: Connection): void {
  const { phase } = connection;
  if (phase.name === "live") {
    registry.unread -= phase.unread;
    registry.slow.delete(phase);
    phase.stopHeartbeat();
    phase.unsubscribe();
  }
  connection.phase = { name: "closed" };
  registry.queuesSize -= connection.queueSize;
  connection.queueSize = 0;
  connection.queue.length = 0;
  registry.all.delete(connection);
  registry.greeting.delete(connection);
}
