/**
 * A small model of the relay in virtual time: numbered logs, resume by number, a commit delay before every acknowledgement,
 * restarts and crashes. Its network is slow, cuts connections and leaves them half-open. A hostile network also drops,
 * duplicates and reorders frames. The model uses the real codec.
 */

import { CLOSE_CODE } from "@porchlight/shared/close";
import { HEARTBEAT_MS } from "@porchlight/shared/limits";
import { parseClientFrame } from "@porchlight/shared/parse";
import type {
  ClientFrame,
  ErrorFrame,
  Hello,
  Message,
  RelayFrame,
  SentState,
  VisitorMessage,
} from "@porchlight/shared/protocol";
import type { OpenTransport, TransportEvents } from "./connection.ts";
import type { Tab, World } from "./world.fixture.ts";

export type Visitor = { token: string; log: Map<string, Message>; head: number; read: number; gone: boolean };

type Connection = {
  tab: Tab;
  events: TransportEvents;
  visitor: Visitor | undefined;
  /** Newest number of the log that was sent. */
  sent: number;
  /** Whether each end is alive: a half-open connection is dead at one end only. */
  clientAlive: boolean;
  relayAlive: boolean;
  /** When the newest frame to the client is due. Frames that are sent later are not due earlier. */
  down: number;
  /** The same for frames to the relay. */
  up: number;
};

export type ModelRelay = {
  dial(tab: Tab): OpenTransport;
  readonly visitors: Map<string, Visitor>;
  /** Probabilities, 0 to 1, of failures of the network and the relay. All are 0 at first. */
  readonly fault: {
    drop: number;
    double: number;
    reorder: number;
    forgetHint: number;
    refuse: number;
    commitLost: number;
  };
  up: boolean;
  /** Stops cleanly: closes every connection, with a time span to reconnect in. */
  restart(): void;
  /** Crashes: all uncommitted data is lost, and no client is told. */
  crash(): void;
  /** Cuts one connection. `silent`: neither end notices. */
  cut(tab: Tab, silent: boolean): void;
  reply(visitor: Visitor): Message;
  /** Sets the service's answer to the oldest message without one. */
  settle(visitor: Visitor, state: SentState): void;
  connections(): number;
};

/** Messages in a page of history. */
const PAGE = 4;
/** Most missed changes that a resume sends. */
const GAP_MAX = 9;

/** The state of the model relay and its network. */
type Model = {
  world: World;
  visitors: Map<string, Visitor>;
  connections: Connection[];
  /** Number of restarts and crashes. */
  starts: number;
  /** Number of visitors that have been created. */
  count: number;
  fault: ModelRelay["fault"];
  up: boolean;
};

/** A relay without visitors, whose network has no faults until the test sets `fault`. */
export function createModelRelay(world: World): ModelRelay {
  const model: Model = {
    world,
    visitors: new Map<string, Visitor>(),
    connections: [],
    starts: 0,
    count: 0,
    fault: { drop: 0, double: 0, reorder: 0, forgetHint: 0, refuse: 0, commitLost: 0 },
    up: true,
  };

  return {
    dial: (tab) => dial(model, tab),
    visitors: model.visitors,
    fault: model.fault,
    get up() {
      return model.up;
    },
    set up(up) {
      model.up = up;
    },
    restart() {
      model.starts++;
      for (const connection of [...model.connections]) {
        sendFrame(model, connection, { t: "bye", retry: [0, 3_000] });
        end(model, connection, CLOSE_CODE.restart);
      }
    },
    crash() {
      model.starts++;
      for (const connection of [...model.connections]) {
        connection.relayAlive = false;
        end(model, connection, 1006);
      }
    },
    cut(tab, silent) {
      for (const connection of model.connections.filter((other) => other.tab === tab)) {
        if (silent) connection.clientAlive = connection.relayAlive = false;
        else end(model, connection, 1006);
      }
    },
    reply(visitor) {
      const pos = ++visitor.head;
      return write(model, visitor, {
        id: `r-${pos}`,
        from: "reply",
        pos,
        n: pos,
        at: world.now(),
        text: `answer ${pos}`,
      });
    },
    settle(visitor, state) {
      const waiting = changes(visitor, 0).find((message) => message.from === "visitor" && message.state === "sent");
      if (waiting?.from === "visitor") setState(model, visitor, waiting, state);
    },
    connections: () => model.connections.length,
  };
}

const happens = (model: Model, probability: number) => probability > 0 && model.world.random() < probability;

const latency = (model: Model) => 5 + model.world.random() * 40;

// ── the network ───────────────────────────────────────────────────────────────────────────────────────────────

/** Sends a frame to the client, over the slow network. */
function sendFrame(model: Model, connection: Connection, frame: RelayFrame): void {
  if (!connection.relayAlive || happens(model, model.fault.drop)) return;
  const text = JSON.stringify(frame);
  const delay = happens(model, model.fault.reorder) ? 60 : 0;
  connection.down = Math.max(connection.down, model.world.now() + latency(model));
  const deliver = () => connection.clientAlive && connection.tab.alive && connection.events.frame(text);
  model.world.after(connection.down - model.world.now() + delay, deliver);
  if (happens(model, model.fault.double)) model.world.after(connection.down - model.world.now() + 80, deliver);
}

/** Ends a connection at the relay at once, and at the client when all frames before have arrived. */
function end(model: Model, connection: Connection, code: number): void {
  endAtRelay(model, connection);
  model.world.after(Math.max(0, connection.down - model.world.now()) + 1, () => {
    if (connection.clientAlive && connection.tab.alive) connection.events.close(code);
    connection.clientAlive = false;
  });
}

function endAtRelay(model: Model, connection: Connection): void {
  connection.relayAlive = false;
  model.connections = model.connections.filter((other) => other !== connection);
}

function dial(model: Model, tab: Tab): OpenTransport {
  return (events) => {
    const connection: Connection = {
      tab,
      events,
      visitor: undefined,
      sent: 0,
      clientAlive: true,
      relayAlive: true,
      down: 0,
      up: 0,
    };
    model.world.after(latency(model), () => {
      if (!connection.clientAlive || !tab.alive) return;
      if (!model.up || !tab.page.online()) return events.close(1006);
      model.connections.push(connection);
      events.open();
      model.world.after(HEARTBEAT_MS * model.world.random(), () => beat(model, connection));
    });
    return {
      send(text) {
        connection.up = Math.max(connection.up, model.world.now() + latency(model));
        const arrive = () => connection.relayAlive && receive(model, connection, text);
        if (!happens(model, model.fault.drop / 4)) model.world.after(connection.up - model.world.now(), arrive);
        if (happens(model, model.fault.double)) model.world.after(connection.up - model.world.now() + 300, arrive);
      },
      close() {
        connection.clientAlive = false;
        model.world.after(latency(model), () => endAtRelay(model, connection));
      },
    };
  };
}

// ── the relay ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Messages that changed after the number `since`, in that order. */
const changes = ({ log }: Visitor, since: number) =>
  [...log.values()].filter(({ n }) => n > since).sort((a, b) => a.n - b.n);

/** Messages before a position of the thread. */
const messagesBefore = ({ log }: Visitor, before: number) =>
  [...log.values()].filter(({ pos }) => pos < before).sort((a, b) => a.pos - b.pos);

/** Sends every change that the client does not know yet. */
function sendChanges(model: Model, connection: Connection): void {
  const { visitor } = connection;
  if (!visitor || !connection.relayAlive) return;
  for (const message of changes(visitor, connection.sent)) {
    sendFrame(model, connection, { t: "message", after: connection.sent, message });
    connection.sent = message.n;
  }
}

function publish(model: Model, visitor: Visitor): void {
  for (const connection of model.connections)
    if (connection.visitor === visitor && !happens(model, model.fault.forgetHint))
      model.world.after(model.world.random() * 10, () => sendChanges(model, connection));
}

/** Sends a heartbeat, and schedules the next one. */
function beat(model: Model, connection: Connection): void {
  if (!connection.relayAlive) return;
  if (connection.visitor) {
    sendFrame(model, connection, { t: "pong", head: connection.visitor.head });
    if (!happens(model, model.fault.forgetHint)) sendChanges(model, connection);
  }
  model.world.after(HEARTBEAT_MS, () => beat(model, connection));
}

function write(model: Model, visitor: Visitor, message: Message): Message {
  visitor.log.set(message.id, message);
  publish(model, visitor);
  return message;
}

/** Commits after a short delay. A crash meanwhile loses the data, with the probability `commitLost`, or else only the answer. */
function commit(model: Model, run: () => void): void {
  const born = model.starts;
  model.world.after(1 + model.world.random() * 30, () => {
    if (born === model.starts || !happens(model, model.fault.commitLost)) run();
  });
}

function greet(model: Model, connection: Connection, hello: Hello): void {
  const known = hello.token === undefined ? undefined : model.visitors.get(hello.token);
  if (hello.token !== undefined && (!known || known.gone)) return end(model, connection, CLOSE_CODE.badToken);
  const visitor = known ?? { token: `token-${++model.count}`, log: new Map(), head: 0, read: 0, gone: false };
  model.visitors.set(visitor.token, visitor);
  const { head } = visitor;
  const { since } = hello;
  const newest = messagesBefore(visitor, head + 1);
  const resume = since !== undefined && hello.epoch === "e1" && since <= head && head - since <= GAP_MAX;
  const after = resume ? since : (newest.at(-PAGE)?.pos ?? 1) - 1;
  Object.assign(connection, { visitor, sent: after });
  sendFrame(model, connection, {
    t: "welcome",
    v: 1,
    now: model.world.now(),
    epoch: "e1",
    after,
    head,
    reset: !resume,
    older: !resume && newest.length > PAGE,
    read: visitor.read,
    delivery: "ok",
    ...(!known && { token: visitor.token }),
  });
  sendChanges(model, connection);
}

function send(
  model: Model,
  connection: Connection,
  visitor: Visitor,
  { id, text }: { id: string; text: string },
): void {
  const refuse = (error: Omit<ErrorFrame, "t" | "id">) => sendFrame(model, connection, { t: "error", id, ...error });
  if (happens(model, model.fault.refuse))
    return refuse({ code: "try_later", retryAfter: Math.floor(model.world.random() * 2_000) });
  commit(model, () => {
    const known = visitor.log.get(id);
    const pos = visitor.head + 1;
    if (known)
      return known.n <= connection.sent
        ? sendFrame(model, connection, { t: "message", after: connection.sent, message: known })
        : undefined;
    visitor.head = pos;
    write(model, visitor, { id, text, pos, n: pos, at: model.world.now(), from: "visitor", state: "sent" });
  });
}

/** Sets the state of a visitor's message, under a new number. */
const setState = (model: Model, visitor: Visitor, message: VisitorMessage, state: SentState) => {
  const { reason: _, ...rest } = message;
  write(model, visitor, { ...rest, n: ++visitor.head, state, ...(state === "failed" && { reason: "rejected" }) });
};

function receive(model: Model, connection: Connection, text: string): void {
  const parsed = parseClientFrame(text);
  if ("problem" in parsed) throw new Error(`The client sent a bad frame (${parsed.problem}): ${text}`);
  const { frame } = parsed;
  if (frame.t === "hello") return connection.visitor ? undefined : greet(model, connection, frame);
  if (connection.visitor) handleFrame(model, connection, connection.visitor, frame);
}

function handleFrame(model: Model, connection: Connection, visitor: Visitor, frame: ClientFrame): void {
  if (frame.t === "send") send(model, connection, visitor, frame);
  else if (frame.t === "ping") sendFrame(model, connection, { t: "pong", head: visitor.head });
  else if (frame.t === "read") {
    visitor.read = Math.max(visitor.read, frame.n);
    for (const other of model.connections)
      if (other.visitor === visitor) sendFrame(model, other, { t: "status", read: visitor.read });
  } else if (frame.t === "older") {
    const found = messagesBefore(visitor, frame.before);
    sendFrame(model, connection, {
      t: "history",
      before: frame.before,
      messages: found.slice(-PAGE),
      older: found.length > PAGE,
    });
  } else if (frame.t === "retry") {
    const message = visitor.log.get(frame.id);
    if (message?.from !== "visitor" || message.state !== "failed")
      sendFrame(model, connection, { t: "error", code: "unknown_message", id: frame.id });
    else commit(model, () => setState(model, visitor, message, "sent"));
  } else if (frame.t === "forget") {
    visitor.gone = true;
    visitor.log.clear();
    for (const other of [...model.connections]) if (other.visitor === visitor) end(model, other, CLOSE_CODE.gone);
  }
}
