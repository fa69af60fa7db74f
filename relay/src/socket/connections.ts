import { CLOSE } from "@porchlight/shared/close";
import { FRAME_MAX, HELLO_MAX, HELLO_MS } from "@porchlight/shared/limits";
import { type Parsed, parseClientFrame } from "@porchlight/shared/parse";
import type { ClientFrame, Hello } from "@porchlight/shared/protocol";
import { ownerOf } from "../records/visitors.ts";
import type { Connection, ConnectionActions, Greeting, Live, Transport } from "./connection.ts";
import { closeOnFailure, handleNews, readLog, sendFormError } from "./feed.ts";
import { answerHeartbeats, sendHeartbeats } from "./heartbeat.ts";
import { end, endBlocked, forget, measure, sendFrame, slotForAddress, slotForConnection } from "./output.ts";
import { type ConnectionsDeps, createRegistry, type Registry } from "./registry.ts";
import { SWEEP_MS } from "./schedule.ts";

/** Frames of one client that may wait while earlier ones are handled, and their size in UTF-16 units. */
const QUEUE_MAX = 64;
const QUEUE_SIZE_MAX = 8 * FRAME_MAX;
/** UTF-16 units of waiting frames of all clients together: 32 MB of ASCII. Above it, those with the most are disconnected. */
const QUEUES_SIZE_MAX = 32 * 1024 * 1024;
/**
 * Most pings and pongs of one client between two pings of the relay. A client may send some on its own (RFC 6455, 5.5), but many
 * of them cost CPU time.
 */
const PONGS_MAX = 100;
/** At a stop, clients are told to reconnect after a time between these bounds, in milliseconds. */
const RETRY_MIN_MS = 2_000;
const RETRY_MAX_MS = 60_000;

/** Creates the set of all visitors' connections, over every transport. It passes frames to the flows, and sends frames back. */
export function createConnections(deps: ConnectionsDeps) {
  const registry = createRegistry(deps);
  const actions = actionsOf(registry);
  return {
    /** Starts the checks of everything with a time limit. */
    start: (): void => sweepLater(registry),
    /** Waits for a slot in which an address may open a connection. @param isGone whether the client has left */
    slot: (address: string, isGone: () => boolean): Promise<void> => slotForAddress(registry, address, isGone),
    /** Adds an open transport. Its client must send `hello` in time. */
    accept: (transport: Transport, origin: string, address: string): Connection =>
      accept(registry, transport, origin, address),
    /** Handles the text of a frame, after the client's earlier frames. */
    receive: (connection: Connection, text: string): void => enqueue(registry, actions, connection, text),
    /** Removes a connection whose transport is closed. */
    lost: (connection: Connection): void => forget(registry, connection),
    /** Counts a pong or a ping of the client. */
    alive: (connection: Connection): void => receivePong(registry, connection),
    /** Tells every visitor of an account whether messages are delivered. */
    sendDelivery: (account: string): void => sendDelivery(registry, account),
    /** Closes the connections of visitors who were blocked. */
    closeBlocked: (): void => closeBlocked(registry),
    /** Number of open connections. */
    count: (): number => registry.all.size,
    /** When and whether this node sent a reply to a tab; undefined when it does not know of any. */
    pushed: (visitor: string, reply: Reply): Push | undefined => pushed(registry, visitor, reply),
    /** Accepts no `hello` from now on: such clients are told to reconnect later. */
    shut(): void {
      registry.closing = true;
    },
    /** Closes all connections. Clients are told to reconnect at different times, `perSecond` of them for each second. */
    drain: (perSecond: number): void => drain(registry, perSecond),
  };
}

/** A reply by its place in the thread and its number. */
type Reply = { pos: number; n: number };
/**
 * A reply that this node sent to a tab. `at`: when it was first sent (ms since 1970); null when the node no longer remembers that.
 * `open`: a tab that has the reply is still connected to this node.
 */
export type Push = { at: number | null; open: boolean };

/** Finds out whether this node sent a reply to a tab, from its memory only. */
function pushed({ all, pushes }: Registry, visitor: string, { pos, n }: Reply): Push | undefined {
  const open = [...all].some(({ phase }) => phase.name === "live" && phase.visitor === visitor && phase.sent >= n);
  const at = pushes.at(visitor, pos) ?? null;
  return open || at !== null ? { at, open } : undefined;
}

/** All connections of visitors to this process. */
export type Connections = ReturnType<typeof createConnections>;

function actionsOf(registry: Registry): ConnectionActions {
  return {
    send: (live, frame) => sendFrame(registry, live, frame),
    pong: (live) => answerHeartbeats(registry, [live], false),
    closeBusy(live) {
      registry.deps.log("socket.refused", { meaning: "too many frames" });
      end(registry, live.connection, CLOSE.overload);
    },
    async closeGone(live) {
      const owner = await ownerOf(registry.deps.db, live.visitor);
      // The visitor was deleted, or became a user: only the user's own sessions may read the thread.
      end(registry, live.connection, owner === undefined ? CLOSE.gone : CLOSE.badToken);
    },
  };
}

/** Adds a connection. Its client must send `hello` within `HELLO_MS` milliseconds and `HELLO_MAX` units. */
function accept(registry: Registry, transport: Transport, origin: string, address: string): Connection {
  const deadline = registry.deps.clock.uptime() + HELLO_MS;
  const connection: Connection = {
    phase: { name: "greeting", transport, origin, address, deadline, size: 0 },
    handled: Promise.resolve(),
    queue: [],
    queueSize: 0,
    pongs: 0,
  };
  registry.all.add(connection);
  registry.greeting.add(connection);
  return connection;
}

/** Records that the client answered a ping or sent a frame. */
function noteActivity({ phase }: Connection): void {
  if (phase.name === "live") phase.awaitsPong = false;
}

function receivePong(registry: Registry, connection: Connection): void {
  noteActivity(connection);
  if (++connection.pongs > PONGS_MAX) end(registry, connection, CLOSE.overload);
}

/** Handles the text of a frame. Frames of one client are handled one after the other, so messages are stored in their order. */
function enqueue(registry: Registry, actions: ConnectionActions, connection: Connection, text: string): void {
  noteActivity(connection);
  const { phase, queue } = connection;
  if (phase.name === "closed") return;
  if (phase.name === "greeting") {
    if (registry.closing) return end(registry, connection, CLOSE.restart);
    phase.size += text.length;
    if (phase.size > HELLO_MAX) return end(registry, connection, CLOSE.noHello);
  }
  queue.push(text);
  connection.queueSize += text.length;
  registry.queuesSize += text.length;
  if (queue.length > QUEUE_MAX || connection.queueSize > QUEUE_SIZE_MAX)
    return end(registry, connection, CLOSE.overload);
  if (registry.queuesSize > QUEUES_SIZE_MAX) endLongestQueues(registry);
  if (queue.length === 1) connection.handled = handleQueue(registry, actions, connection);
}

/**
 * Disconnects the clients whose waiting frames are the largest, until half of the limit is left. Five thousand clients that each
 * ask for history and send 256 KB behind that took gigabytes (RELIABILITY A28). An honest client has a few kilobytes.
 */
function endLongestQueues(registry: Registry): void {
  const all = [...registry.all].sort((a, b) => b.queueSize - a.queueSize);
  for (const connection of all) {
    if (registry.queuesSize <= QUEUES_SIZE_MAX / 2) return;
    registry.deps.log("socket.refused", { meaning: "too many frames" });
    end(registry, connection, CLOSE.overload);
  }
}

/**
 * Handles the waiting frames of a client, one per tick of the event loop. Reads of SQLite are synchronous: without a pause, fifty
 * clients that request fifteen pages of history at once delay all others for half a second (RELIABILITY A28).
 */
async function handleQueue(registry: Registry, actions: ConnectionActions, connection: Connection): Promise<void> {
  const { queue } = connection;
  while (queue.length > 0) {
    await closeOnFailure(registry, connection, handle(registry, actions, connection));
    // The queue of a closed connection is empty.
    const size = queue.shift()?.length ?? 0;
    connection.queueSize -= size;
    registry.queuesSize -= size;
    if (queue.length > 0) await nextTick();
  }
}

const nextTick = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Parses the oldest waiting frame. A function of its own: otherwise the handler would keep the text until it ends. */
const parseFirst = ({ queue: [text = ""] }: Connection): Parsed<ClientFrame> => parseClientFrame(text);

/** Handles the oldest waiting frame of a client. */
async function handle(registry: Registry, actions: ConnectionActions, connection: Connection): Promise<void> {
  const { phase } = connection;
  if (phase.name === "closed") return;
  const parsed = parseFirst(connection);
  if ("problem" in parsed) {
    registry.deps.log("socket.bad_frame", { problem: parsed.problem });
    if (phase.name === "greeting") return end(registry, connection, CLOSE.noHello);
    return sendFrame(registry, phase, { t: "error", code: "bad_frame" });
  }
  const { frame } = parsed;
  if (frame.t === "hello")
    return phase.name === "greeting"
      ? greet(registry, connection, phase, frame)
      : end(registry, connection, CLOSE.protocol);
  if (phase.name === "greeting") return end(registry, connection, CLOSE.noHello);
  if (frame.t === "older") await slotForConnection(registry, connection, phase.address);
  return registry.deps.handleFrame(actions, phase, frame);
}

/** Answers `hello`: opens the visitor's session, and sends the changes that the client lacks. */
async function greet(registry: Registry, connection: Connection, greeting: Greeting, hello: Hello): Promise<void> {
  const { deps } = registry;
  // The client has sent its `hello` in time. While thousands reconnect, its slot may come after the deadline.
  greeting.deadline = Number.POSITIVE_INFINITY;
  await slotForConnection(registry, connection, greeting.address, true);
  if (connection.phase !== greeting) return;
  if (deps.exceedsBudget(hello, greeting.address)) {
    deps.log("socket.refused", { meaning: "too many sessions" });
    return end(registry, connection, CLOSE.overload);
  }
  const opened = await deps.open(hello, greeting.origin);
  if (connection.phase !== greeting) return;
  if ("code" in opened) {
    deps.log("socket.refused", { meaning: opened.meaning });
    return end(registry, connection, opened);
  }
  const { visitor, site, formError, welcome } = opened;
  const live = goLive(registry, connection, greeting, opened);
  if (deps.isBlocked(site.public.id, visitor, live.address)) return endBlocked(registry, live);
  sendFrame(registry, live, { ...welcome, delivery: deps.delivery(site.account, site.public.id) });
  if (formError !== undefined) sendFormError(registry, live, formError);
  // Not awaited: a slow client may take minutes to read these changes, and its frames are handled meanwhile.
  void closeOnFailure(registry, connection, readLog(registry, live));
}

type Opened = Pick<Live, "visitor" | "site" | "session" | "generation" | "fresh"> & {
  welcome: { after: number; read: number };
};

/** Makes the connection live: from now on, it gets the visitor's changes and heartbeats. */
function goLive(registry: Registry, connection: Connection, greeting: Greeting, opened: Opened): Live {
  const { transport, origin, address } = greeting;
  const { visitor, site, session, generation, fresh, welcome } = opened;
  const live: Live = {
    name: "live",
    transport,
    connection,
    visitor,
    site,
    session,
    generation,
    fresh,
    origin,
    address,
    sent: welcome.after,
    read: welcome.read,
    replied: 0,
    unread: 0,
    reading: false,
    readAgain: false,
    beats: 0,
    awaitsPong: false,
    pongLate: false,
    stopHeartbeat: () => {},
    forms: undefined,
    unsubscribe: registry.deps.bus.subscribe(visitor, (news) => handleNews(registry, live, news)),
  };
  live.stopHeartbeat = registry.heartbeats.add(live);
  registry.greeting.delete(connection);
  connection.phase = live;
  return live;
}

/** Checks everything with a time limit: missing `hello` frames, unread bytes, heartbeats. */
function sweep(registry: Registry): void {
  const now = registry.deps.clock.uptime();
  for (const connection of registry.greeting) {
    const { phase } = connection;
    if (phase.name === "greeting" && now >= phase.deadline) end(registry, connection, CLOSE.noHello);
  }
  for (const live of registry.slow) measure(registry, live);
  sendHeartbeats(registry);
  sweepLater(registry);
}

function sweepLater(registry: Registry): void {
  registry.cancelSweep = registry.deps.clock.after(SWEEP_MS, () => sweep(registry));
}

/** Tells every visitor of an account whether messages are delivered. */
function sendDelivery(registry: Registry, account: string): void {
  const { delivery } = registry.deps;
  for (const { phase } of registry.all) {
    if (phase.name === "live" && phase.site.account === account)
      sendFrame(registry, phase, { t: "status", delivery: delivery(account, phase.site.public.id) });
  }
}

/** Closes the connections of visitors who were blocked. */
function closeBlocked(registry: Registry): void {
  for (const { phase } of registry.all) {
    if (phase.name === "live" && registry.deps.isBlocked(phase.site.public.id, phase.visitor, phase.address))
      endBlocked(registry, phase);
  }
}

/**
 * Closes all connections. Tells each client when to reconnect, at most `perSecond` clients for each second (RELIABILITY 3f).
 */
function drain(registry: Registry, perSecond: number): void {
  registry.cancelSweep();
  const until = Math.min(RETRY_MAX_MS, Math.max(RETRY_MIN_MS, (registry.all.size / perSecond) * 1_000));
  for (const connection of [...registry.all]) {
    const { phase } = connection;
    if (phase.name === "live") sendFrame(registry, phase, { t: "bye", retry: [0, Math.round(until)] });
    end(registry, connection, CLOSE.restart);
  }
}
