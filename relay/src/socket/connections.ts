import { CLOSE, type Ending } from "@porchlight/shared/close";
import { FRAME_MAX, HEARTBEAT_MS, HELLO_MAX, HELLO_MS } from "@porchlight/shared/limits";
import { parseClientFrame } from "@porchlight/shared/parse";
import type { Delivery, Hello, Message, RelayFrame } from "@porchlight/shared/protocol";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Bus, News } from "../bus/bus.ts";
import type { Database } from "../db/database.ts";
import type { Sessions } from "../flows/session.ts";
import { areRevoked } from "../records/sessions.ts";
import { changesSince } from "../records/threads.ts";
import { type Host, hostsOf, ownerOf, ownersOf } from "../records/visitors.ts";
import type { Connection, Desk, Greeting, Line, Live, Take } from "./live.ts";

type Parts = {
  db: Database;
  bus: Bus;
  clock: Clock;
  log: Log;
  open: Sessions["open"];
  /** Acts on a visitor's frame. */
  take: Take;
  /** A file's link, from its key. */
  link: (key: string, type: string) => string;
  delivery: (account: string, site: string) => Delivery;
  /** Whether the site does not want this visitor. */
  refuses?: (site: string, visitor: string, address: string) => boolean;
  /** Whether an address, or a site, opens more chats than it may. */
  crowded?: (hello: Hello, address: string) => boolean;
  random?: () => number;
};

/** Changes read from the thread at once. */
const BATCH = 200;
/** Bytes that may wait on a line. Beyond them it is closed: the log is the buffer, the client reads on from its number. */
const BUFFER_MAX = 1024 * 1024;
/** Bytes that may wait on all lines together; beyond them, lines with more than their fair share are closed. */
const BUFFERS_MAX = 64 * 1024 * 1024;
const SHARE = 64 * 1024;
/** Frames of one client that may wait while earlier ones are written. */
const QUEUE_MAX = 64;
/** The same in UTF-16 units. */
const QUEUE_SIZE_MAX = 8 * FRAME_MAX;
/** The service has this long to answer before nobody should think that it still works on it (WIDGET 8.2). */
const WORKING_MS = 120_000;
/**
 * Pings without any sign of life before a line counts as dead: a machine that sleeps would be here until TCP gives up, a
 * quarter of an hour (WIDGET 3.2).
 */
const SILENT_MAX = 2;
/** One sweep looks after all connections: deadlines and heartbeats need no timer each. */
const SWEEP_MS = 1_000;

/** Translates between frames and flows. Knows nothing of sockets. */
export function createConnections(parts: Parts) {
  const { db, bus, clock, log, open, take, link, delivery, refuses = () => false, crowded = () => false } = parts;
  const random = parts.random ?? Math.random;
  const all = new Set<Connection>();
  /** Bytes that wait on all lines, as far as they were looked at. */
  let waiting = 0;
  let shut = false;
  let stopSweep = (): void => {};

  /** Records know a file by its key; who sees the message gets a link. */
  function shown(message: Message): Message {
    const { media } = message;
    return media === undefined ? message : { ...message, media: { ...media, url: link(media.url, media.type) } };
  }

  /** Counts what waits on a line. */
  function measure(live: Live): number {
    const now = live.line.buffered();
    waiting += now - live.waiting;
    live.waiting = now;
    return now;
  }

  /**
   * The one place that writes to lines, of every transport, and bounds them: a client that does not read what it asks for
   * is let go (RELIABILITY A28). One frame always fits, however long, unless all lines together hold too much already.
   */
  function put(live: Live, frame: RelayFrame): void {
    const { line, connection } = live;
    if (connection.is !== live) return;
    if (frame.t === "message") frame = { ...frame, message: shown(frame.message) };
    if (frame.t === "history") frame = { ...frame, messages: frame.messages.map(shown) };
    const text = JSON.stringify(frame);
    const unread = measure(live);
    const crowded = waiting + text.length > BUFFERS_MAX && unread + text.length > SHARE;
    if (unread > BUFFER_MAX || crowded) {
      log("socket.refused", { meaning: "reads too slowly" });
      return end(connection, CLOSE.overload);
    }
    line.send(text);
    measure(live);
  }

  function end(connection: Connection, ending: Ending): void {
    if (connection.is.state === "closed") return;
    const { line } = connection.is;
    lost(connection);
    line.close(ending);
  }

  /** The owner does not want this visitor: said once, in a frame that names it. */
  function expel(connection: Connection, live: Live): void {
    log("socket.refused", { meaning: "blocked" });
    put(live, { t: "error", code: "blocked" });
    end(connection, CLOSE.notAllowed);
  }

  /** The line is gone. */
  function lost(connection: Connection): void {
    if (connection.is.state === "live") {
      waiting -= connection.is.waiting;
      connection.is.leave();
    }
    connection.is = { state: "closed" };
    all.delete(connection);
  }

  // ── thread → frames ───────────────────────────────────────────────────────────────────────────────────────────

  /** Puts everything after `sent` on the line, in order, until there is no more: the way of whoever fell behind. */
  async function pump(connection: Connection, live: Live): Promise<void> {
    live.again = true;
    if (live.busy) return;
    live.busy = true;
    while (live.again && connection.is === live) {
      live.again = false;
      const changes = await changesSince(db, live.visitor, live.sent, BATCH);
      show(connection, live, changes);
      if (changes.length === BATCH) live.again = true;
    }
    live.busy = false;
  }

  /** Puts changes on the line, in order, and lets the client read on later when it reads too slowly. */
  function show(connection: Connection, live: Live, changes: readonly Message[]): void {
    for (const message of changes) {
      put(live, { t: "message", after: live.sent, message });
      live.sent = message.n;
      if (message.from === "reply") live.replied = Math.max(live.replied, message.pos);
    }
    if (awaitsReply(live, changes.at(-1))) put(live, { t: "typing", on: true });
    if (live.line.buffered() > BUFFER_MAX) end(connection, CLOSE.overload);
  }

  /** Shows what the news brings along, where it continues what the client has; anything else is read from the log. */
  function follow(connection: Connection, live: Live, { changes = [] }: News): void {
    if (!live.busy && changes[0]?.n === live.sent + 1) show(connection, live, changes);
    else run(connection, pump(connection, live));
  }

  /** The newest change says that the service took a message, lately, and no reply came after it. */
  const awaitsReply = (live: Live, newest: Message | undefined): boolean =>
    newest?.from === "visitor" &&
    newest.state === "delivered" &&
    newest.pos > live.replied &&
    clock.now() - newest.at < WORKING_MS;

  function heard(connection: Connection, live: Live, news: News): void {
    if (news.gone) return end(connection, CLOSE.gone);
    if (news.ended === live.session || news.ended === "*") return end(connection, CLOSE.badToken);
    if (news.error !== undefined) put(live, news.error);
    if (news.read !== undefined && news.read > live.read) {
      live.read = news.read;
      put(live, { t: "status", read: news.read });
    }
    if (news.rating !== undefined) put(live, { t: "status", rating: news.rating });
    if (news.head > live.sent) follow(connection, live, news);
  }

  /**
   * The thread is the truth: whatever hint was lost, the heartbeat finds it. Two reads serve all whose heartbeat is due.
   */
  async function beatAll(lives: readonly Live[]): Promise<void> {
    const hosts = await hostsOf(
      db,
      lives.map(({ visitor }) => visitor),
    );
    const revoked = await areRevoked(
      db,
      lives.map(({ session }) => session),
    );
    const strange = lives.filter(({ visitor }) => !hosts.has(visitor)).map(({ visitor }) => visitor);
    const owners = await ownersOf(db, strange);
    const gone = new Set(strange.filter((visitor, i) => owners[i] !== visitor));
    for (const [i, live] of lives.entries()) {
      const { connection } = live;
      if (connection.is !== live) continue;
      if (gone.has(live.visitor)) await depart(connection, live);
      else if (revoked[i]) end(connection, CLOSE.badToken);
      else pulse(connection, live, hosts.get(live.visitor));
    }
  }

  function pulse(connection: Connection, live: Live, row: Pick<Host, "head" | "read"> | undefined): void {
    const head = row?.head ?? 0;
    heard(connection, live, { visitor: live.visitor, head, read: row?.read ?? 0 });
    if (connection.is === live) put(live, { t: "pong", head });
  }

  /** The chat was deleted, or it became a user's and can only be read by that user's sessions. */
  async function depart(connection: Connection, live: Live): Promise<void> {
    end(connection, (await ownerOf(db, live.visitor)) === undefined ? CLOSE.gone : CLOSE.badToken);
  }

  const desk: Desk = { put, depart, beat: (_, live) => beatAll([live]) };

  // ── frames → flows ────────────────────────────────────────────────────────────────────────────────────────────

  async function greet(connection: Connection, greeting: Greeting, hello: Hello): Promise<void> {
    if (crowded(hello, greeting.address)) {
      log("socket.refused", { meaning: "too many sessions" });
      return end(connection, CLOSE.overload);
    }
    const opened = await open(hello, greeting.origin);
    if (connection.is !== greeting) return;
    if ("code" in opened) {
      log("socket.refused", { meaning: opened.meaning });
      return end(connection, opened);
    }
    const { visitor, site, session, fresh, welcome, complaint } = opened;
    const live: Live = {
      state: "live",
      line: greeting.line,
      connection,
      waiting: 0,
      visitor,
      site,
      session,
      fresh,
      origin: greeting.origin,
      address: greeting.address,
      sent: welcome.after,
      read: welcome.read,
      replied: 0,
      busy: false,
      again: false,
      beatAt: clock.uptime() + HEARTBEAT_MS * random(),
      unanswered: 0,
      leave: bus.subscribe(visitor, (news) => heard(connection, live, news)),
    };
    connection.is = live;
    if (refuses(site.public.id, visitor, live.address)) return expel(connection, live);
    put(live, { ...welcome, delivery: delivery(site.account, site.public.id) });
    if (complaint !== undefined) put(live, complaint);
    await pump(connection, live);
  }

  async function receive(connection: Connection, text: string): Promise<void> {
    const { is } = connection;
    if (is.state === "closed") return;
    const parsed = parseClientFrame(text);
    if ("problem" in parsed) {
      log("socket.bad_frame", { problem: parsed.problem });
      if (is.state === "greeting") return end(connection, CLOSE.noHello);
      return put(is, { t: "error", code: "bad_frame" });
    }
    const { frame } = parsed;
    if (frame.t === "hello")
      return is.state === "greeting" ? greet(connection, is, frame) : end(connection, CLOSE.protocol);
    return is.state === "live" ? take(desk, connection, is, frame) : end(connection, CLOSE.noHello);
  }

  /** The client is there: it answered a ping, or said something. */
  function alive({ is }: Connection): void {
    if (is.state === "live") is.unanswered = 0;
  }

  /** What goes wrong with one connection ends that connection, and only that. */
  function run(connection: Connection, work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) => {
      log("relay.internal", { where: "connection", cause: String(error) });
      end(connection, CLOSE.internal);
    });
  }

  // ── all connections ───────────────────────────────────────────────────────────────────────────────────────────

  function sweep(): void {
    const now = clock.uptime();
    const due: Live[] = [];
    for (const connection of all) {
      const { is } = connection;
      if (is.state === "greeting" && now >= is.deadline) end(connection, CLOSE.noHello);
      if (is.state === "live" && is.waiting > 0) measure(is);
      if (is.state !== "live" || now < is.beatAt) continue;
      is.beatAt = now + HEARTBEAT_MS;
      if (is.unanswered >= SILENT_MAX) {
        end(connection, CLOSE.overload);
        continue;
      }
      if (is.line.ping !== undefined) {
        is.unanswered++;
        is.line.ping();
      }
      due.push(is);
    }
    if (due.length > 0)
      beatAll(due).catch((error: unknown) => {
        log("relay.internal", { where: "heartbeat", cause: String(error) });
        for (const { connection } of due) end(connection, CLOSE.internal);
      });
    stopSweep = clock.after(SWEEP_MS, sweep);
  }

  return {
    start(): void {
      stopSweep = clock.after(SWEEP_MS, sweep);
    },
    /** A new line. Its client has `HELLO_MS` and `HELLO_MAX` bytes to say hello, whatever it sends. */
    accept(line: Line, origin: string, address: string): Connection {
      const deadline = clock.uptime() + HELLO_MS;
      const connection: Connection = {
        is: { state: "greeting", line, origin, address, deadline, bytes: 0 },
        turn: Promise.resolve(),
        queued: 0,
        queuedSize: 0,
      };
      all.add(connection);
      return connection;
    },
    /** A frame's text. Frames of one client are handled one after the other, so what was typed first is written first. */
    receive(connection: Connection, text: string): void {
      alive(connection);
      if (connection.is.state === "greeting") {
        if (shut) return end(connection, CLOSE.restart);
        connection.is.bytes += text.length;
        if (connection.is.bytes > HELLO_MAX) return end(connection, CLOSE.noHello);
      }
      connection.queued++;
      connection.queuedSize += text.length;
      if (connection.queued > QUEUE_MAX || connection.queuedSize > QUEUE_SIZE_MAX)
        return end(connection, CLOSE.overload);
      const work = connection.turn.then(() => receive(connection, text));
      connection.turn = run(connection, work).finally(() => {
        connection.queued--;
        connection.queuedSize -= text.length;
      });
    },
    lost,
    alive,
    /** Tells every visitor of an account whether deliveries go out. */
    tellDelivery(account: string): void {
      for (const { is } of all) {
        if (is.state === "live" && is.site.account === account)
          put(is, { t: "status", delivery: delivery(account, is.site.public.id) });
      }
    },
    /** Sends away whoever is not wanted any more. */
    sift(): void {
      for (const connection of all) {
        const { is } = connection;
        if (is.state === "live" && refuses(is.site.public.id, is.visitor, is.address)) expel(connection, is);
      }
    },
    count: (): number => all.size,
    /** Lets nobody new in: whoever says hello from now on is sent away, to come back. */
    shut(): void {
      shut = true;
    },
    /**
     * Says goodbye to everybody, with a time to come back that spreads the wave: at most `perSecond` clients a second
     * (RELIABILITY 3f).
     */
    drain(perSecond: number): void {
      stopSweep();
      const until = Math.min(60_000, Math.max(2_000, (all.size / perSecond) * 1_000));
      for (const connection of [...all]) {
        if (connection.is.state === "live") put(connection.is, { t: "bye", retry: [0, Math.round(until)] });
        end(connection, CLOSE.restart);
      }
    },
  };
}

export type Connections = ReturnType<typeof createConnections>;
