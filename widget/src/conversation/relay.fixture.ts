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
  sent: number;
  /** Whether each end is alive: a half-open connection is dead at one end only. */
  clientAlive: boolean;
  relayAlive: boolean;
  down: number;
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

const PAGE = 4;
const GAP_MAX = 9;

/** The state of the model relay and its network. */
type Model = {
  world: World;
  visitors: Map<string, Visitor>;
  lines: Connection[];
  /** Number of restarts and crashes. */
  starts: number;
  /** Number of visitors that have been created. */
  count: number;
  fault: ModelRelay["fault"];
  up: boolean;
};

export function createModelRelay(world: World): ModelRelay {
  const model: Model = {
    world,
    visitors: new Map<string, Visitor>(),
    lines: [],
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
      for (const line of [...model.lines]) {
        put(model, line, { t: "bye", retry: [0, 3_000] });
        end(model, line, CLOSE_CODE.restart);
      }
    },
    crash() {
      model.starts++;
      for (const line of [...model.lines]) {
        line.relayAlive = false;
        end(model, line, 1006);
      }
    },
    cut(tab, silent) {
      for (const line of model.lines.filter((other) => other.tab === tab)) {
        if (silent) line.clientAlive = line.relayAlive = false;
        else end(model, line, 1006);
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
      if (waiting?.from === "visitor") change(model, visitor, waiting, state);
    },
    connections: () => model.lines.length,
  };
}

const chance = (model: Model, probability: number) => probability > 0 && model.world.random() < probability;

const latency = (model: Model) => 5 + model.world.random() * 40;

// ── the network ───────────────────────────────────────────────────────────────────────────────────────────────

function put(model: Model, line: Connection, frame: RelayFrame): void {
  if (!line.relayAlive || chance(model, model.fault.drop)) return;
  const text = JSON.stringify(frame);
  const early = chance(model, model.fault.reorder) ? 60 : 0;
  line.down = Math.max(line.down, model.world.now() + latency(model));
  const deliver = () => line.clientAlive && line.tab.alive && line.events.frame(text);
  model.world.after(line.down - model.world.now() + early, deliver);
  if (chance(model, model.fault.double)) model.world.after(line.down - model.world.now() + 80, deliver);
}

function end(model: Model, line: Connection, code: number): void {
  lost(model, line);
  model.world.after(Math.max(0, line.down - model.world.now()) + 1, () => {
    if (line.clientAlive && line.tab.alive) line.events.close(code);
    line.clientAlive = false;
  });
}

function lost(model: Model, line: Connection): void {
  line.relayAlive = false;
  model.lines = model.lines.filter((other) => other !== line);
}

function dial(model: Model, tab: Tab): OpenTransport {
  return (events) => {
    const line: Connection = {
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
      if (!line.clientAlive || !tab.alive) return;
      if (!model.up || !tab.page.online()) return events.close(1006);
      model.lines.push(line);
      events.open();
      model.world.after(HEARTBEAT_MS * model.world.random(), () => beat(model, line));
    });
    return {
      send(text) {
        line.up = Math.max(line.up, model.world.now() + latency(model));
        const arrive = () => line.relayAlive && receive(model, line, text);
        if (!chance(model, model.fault.drop / 4)) model.world.after(line.up - model.world.now(), arrive);
        if (chance(model, model.fault.double)) model.world.after(line.up - model.world.now() + 300, arrive);
      },
      close() {
        line.clientAlive = false;
        model.world.after(latency(model), () => lost(model, line));
      },
    };
  };
}

// ── the relay ─────────────────────────────────────────────────────────────────────────────────────────────────

const changes = ({ log }: Visitor, since: number) =>
  [...log.values()].filter(({ n }) => n > since).sort((a, b) => a.n - b.n);

const places = ({ log }: Visitor, before: number) =>
  [...log.values()].filter(({ pos }) => pos < before).sort((a, b) => a.pos - b.pos);

function pump(model: Model, line: Connection): void {
  const { visitor } = line;
  if (!visitor || !line.relayAlive) return;
  for (const message of changes(visitor, line.sent)) {
    put(model, line, { t: "message", after: line.sent, message });
    line.sent = message.n;
  }
}

function publish(model: Model, visitor: Visitor): void {
  for (const line of model.lines)
    if (line.visitor === visitor && !chance(model, model.fault.forgetHint))
      model.world.after(model.world.random() * 10, () => pump(model, line));
}

function beat(model: Model, line: Connection): void {
  if (!line.relayAlive) return;
  if (line.visitor) {
    put(model, line, { t: "pong", head: line.visitor.head });
    if (!chance(model, model.fault.forgetHint)) pump(model, line);
  }
  model.world.after(HEARTBEAT_MS, () => beat(model, line));
}

function write(model: Model, visitor: Visitor, message: Message): Message {
  visitor.log.set(message.id, message);
  publish(model, visitor);
  return message;
}

/** Commits after a short delay. A crash before that loses the data; a crash after it loses only the answer. */
function commit(model: Model, run: () => void): void {
  const born = model.starts;
  model.world.after(1 + model.world.random() * 30, () => {
    if (born === model.starts || !chance(model, model.fault.commitLost)) run();
  });
}

function greet(model: Model, line: Connection, hello: Hello): void {
  const known = hello.token === undefined ? undefined : model.visitors.get(hello.token);
  if (hello.token !== undefined && (!known || known.gone)) return end(model, line, CLOSE_CODE.badToken);
  const visitor = known ?? { token: `token-${++model.count}`, log: new Map(), head: 0, read: 0, gone: false };
  model.visitors.set(visitor.token, visitor);
  const { head } = visitor;
  const { since } = hello;
  const newest = places(visitor, head + 1);
  const resume = since !== undefined && hello.epoch === "e1" && since <= head && head - since <= GAP_MAX;
  const after = resume ? since : (newest.at(-PAGE)?.pos ?? 1) - 1;
  Object.assign(line, { visitor, sent: after });
  put(model, line, {
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
  pump(model, line);
}

function send(model: Model, line: Connection, visitor: Visitor, { id, text }: { id: string; text: string }): void {
  const refuse = (error: Omit<ErrorFrame, "t" | "id">) => put(model, line, { t: "error", id, ...error });
  if (chance(model, model.fault.refuse))
    return refuse({ code: "try_later", retryAfter: Math.floor(model.world.random() * 2_000) });
  commit(model, () => {
    const known = visitor.log.get(id);
    const pos = visitor.head + 1;
    if (known)
      return known.n <= line.sent ? put(model, line, { t: "message", after: line.sent, message: known }) : undefined;
    visitor.head = pos;
    write(model, visitor, { id, text, pos, n: pos, at: model.world.now(), from: "visitor", state: "sent" });
  });
}

const change = (model: Model, visitor: Visitor, message: VisitorMessage, state: SentState) => {
  const { reason: _, ...rest } = message;
  write(model, visitor, { ...rest, n: ++visitor.head, state, ...(state === "failed" && { reason: "rejected" }) });
};

function receive(model: Model, line: Connection, text: string): void {
  const parsed = parseClientFrame(text);
  if ("problem" in parsed) throw new Error(`The client sent a bad frame (${parsed.problem}): ${text}`);
  const { frame } = parsed;
  if (frame.t === "hello") return line.visitor ? undefined : greet(model, line, frame);
  if (line.visitor) take(model, line, line.visitor, frame);
}

function take(model: Model, line: Connection, visitor: Visitor, frame: ClientFrame): void {
  if (frame.t === "send") send(model, line, visitor, frame);
  else if (frame.t === "ping") put(model, line, { t: "pong", head: visitor.head });
  else if (frame.t === "read") {
    visitor.read = Math.max(visitor.read, frame.n);
    for (const other of model.lines)
      if (other.visitor === visitor) put(model, other, { t: "status", read: visitor.read });
  } else if (frame.t === "older") {
    const found = places(visitor, frame.before);
    put(model, line, { t: "history", before: frame.before, messages: found.slice(-PAGE), older: found.length > PAGE });
  } else if (frame.t === "retry") {
    const message = visitor.log.get(frame.id);
    if (message?.from !== "visitor" || message.state !== "failed")
      put(model, line, { t: "error", code: "unknown_message", id: frame.id });
    else commit(model, () => change(model, visitor, message, "sent"));
  } else if (frame.t === "forget") {
    visitor.gone = true;
    visitor.log.clear();
    for (const other of [...model.lines]) if (other.visitor === visitor) end(model, other, CLOSE_CODE.gone);
  }
}
