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
  judge(visitor: Visitor, state: SentState): void;
  connections(): number;
};

const PAGE = 4;
const GAP_MAX = 9;

export function createModelRelay(world: World): ModelRelay {
  const visitors = new Map<string, Visitor>();
  let lines: Connection[] = [];
  let starts = 0;
  let count = 0;
  const fault = { drop: 0, double: 0, reorder: 0, forgetHint: 0, refuse: 0, commitLost: 0 };
  const chance = (probability: number) => probability > 0 && world.random() < probability;
  const latency = () => 5 + world.random() * 40;

  // ── the network ───────────────────────────────────────────────────────────────────────────────────────────────

  function put(line: Connection, frame: RelayFrame): void {
    if (!line.relayAlive || chance(fault.drop)) return;
    const text = JSON.stringify(frame);
    const early = chance(fault.reorder) ? 60 : 0;
    line.down = Math.max(line.down, world.now() + latency());
    const deliver = () => line.clientAlive && line.tab.alive && line.events.frame(text);
    world.after(line.down - world.now() + early, deliver);
    if (chance(fault.double)) world.after(line.down - world.now() + 80, deliver);
  }

  function end(line: Connection, code: number): void {
    lost(line);
    world.after(Math.max(0, line.down - world.now()) + 1, () => {
      if (line.clientAlive && line.tab.alive) line.events.close(code);
      line.clientAlive = false;
    });
  }

  function lost(line: Connection): void {
    line.relayAlive = false;
    lines = lines.filter((other) => other !== line);
  }

  function dial(tab: Tab): OpenTransport {
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
      world.after(latency(), () => {
        if (!line.clientAlive || !tab.alive) return;
        if (!relay.up || !tab.page.online()) return events.close(1006);
        lines.push(line);
        events.open();
        world.after(HEARTBEAT_MS * world.random(), () => beat(line));
      });
      return {
        send(text) {
          line.up = Math.max(line.up, world.now() + latency());
          const arrive = () => line.relayAlive && receive(line, text);
          if (!chance(fault.drop / 4)) world.after(line.up - world.now(), arrive);
          if (chance(fault.double)) world.after(line.up - world.now() + 300, arrive);
        },
        close() {
          line.clientAlive = false;
          world.after(latency(), () => lost(line));
        },
      };
    };
  }

  // ── the relay ─────────────────────────────────────────────────────────────────────────────────────────────────

  const changes = ({ log }: Visitor, since: number) =>
    [...log.values()].filter(({ n }) => n > since).sort((a, b) => a.n - b.n);
  const places = ({ log }: Visitor, before: number) =>
    [...log.values()].filter(({ pos }) => pos < before).sort((a, b) => a.pos - b.pos);

  function pump(line: Connection): void {
    const { visitor } = line;
    if (!visitor || !line.relayAlive) return;
    for (const message of changes(visitor, line.sent)) {
      put(line, { t: "message", after: line.sent, message });
      line.sent = message.n;
    }
  }

  function publish(visitor: Visitor): void {
    for (const line of lines)
      if (line.visitor === visitor && !chance(fault.forgetHint)) world.after(world.random() * 10, () => pump(line));
  }

  function beat(line: Connection): void {
    if (!line.relayAlive) return;
    if (line.visitor) {
      put(line, { t: "pong", head: line.visitor.head });
      if (!chance(fault.forgetHint)) pump(line);
    }
    world.after(HEARTBEAT_MS, () => beat(line));
  }

  function write(visitor: Visitor, message: Message): Message {
    visitor.log.set(message.id, message);
    publish(visitor);
    return message;
  }

  /** Commits after a short delay. A crash before that loses the data; a crash after it loses only the answer. */
  function commit(run: () => void): void {
    const born = starts;
    world.after(1 + world.random() * 30, () => {
      if (born === starts || !chance(fault.commitLost)) run();
    });
  }

  function greet(line: Connection, hello: Hello): void {
    const known = hello.token === undefined ? undefined : visitors.get(hello.token);
    if (hello.token !== undefined && (!known || known.gone)) return end(line, CLOSE_CODE.badToken);
    const visitor = known ?? { token: `token-${++count}`, log: new Map(), head: 0, read: 0, gone: false };
    visitors.set(visitor.token, visitor);
    const { head } = visitor;
    const { since } = hello;
    const newest = places(visitor, head + 1);
    const resume = since !== undefined && hello.epoch === "e1" && since <= head && head - since <= GAP_MAX;
    const after = resume ? since : (newest.at(-PAGE)?.pos ?? 1) - 1;
    Object.assign(line, { visitor, sent: after });
    put(line, {
      t: "welcome",
      v: 1,
      now: world.now(),
      epoch: "e1",
      after,
      head,
      reset: !resume,
      older: !resume && newest.length > PAGE,
      read: visitor.read,
      delivery: "ok",
      ...(!known && { token: visitor.token }),
    });
    pump(line);
  }

  function send(line: Connection, visitor: Visitor, { id, text }: { id: string; text: string }): void {
    const refuse = (error: Omit<ErrorFrame, "t" | "id">) => put(line, { t: "error", id, ...error });
    if (chance(fault.refuse)) return refuse({ code: "try_later", retryAfter: Math.floor(world.random() * 2_000) });
    commit(() => {
      const known = visitor.log.get(id);
      const pos = visitor.head + 1;
      if (known)
        return known.n <= line.sent ? put(line, { t: "message", after: line.sent, message: known }) : undefined;
      visitor.head = pos;
      write(visitor, { id, text, pos, n: pos, at: world.now(), from: "visitor", state: "sent" });
    });
  }

  const change = (visitor: Visitor, message: VisitorMessage, state: SentState) => {
    const { reason: _, ...rest } = message;
    write(visitor, { ...rest, n: ++visitor.head, state, ...(state === "failed" && { reason: "rejected" }) });
  };

  function receive(line: Connection, text: string): void {
    const parsed = parseClientFrame(text);
    if ("problem" in parsed) throw new Error(`The client sent a bad frame (${parsed.problem}): ${text}`);
    const { frame } = parsed;
    if (frame.t === "hello") return line.visitor ? undefined : greet(line, frame);
    if (line.visitor) take(line, line.visitor, frame);
  }

  function take(line: Connection, visitor: Visitor, frame: ClientFrame): void {
    if (frame.t === "send") send(line, visitor, frame);
    else if (frame.t === "ping") put(line, { t: "pong", head: visitor.head });
    else if (frame.t === "read") {
      visitor.read = Math.max(visitor.read, frame.n);
      for (const other of lines) if (other.visitor === visitor) put(other, { t: "status", read: visitor.read });
    } else if (frame.t === "older") {
      const found = places(visitor, frame.before);
      put(line, { t: "history", before: frame.before, messages: found.slice(-PAGE), older: found.length > PAGE });
    } else if (frame.t === "retry") {
      const message = visitor.log.get(frame.id);
      if (message?.from !== "visitor" || message.state !== "failed")
        put(line, { t: "error", code: "unknown_message", id: frame.id });
      else commit(() => change(visitor, message, "sent"));
    } else if (frame.t === "forget") {
      visitor.gone = true;
      visitor.log.clear();
      for (const other of [...lines]) if (other.visitor === visitor) end(other, CLOSE_CODE.gone);
    }
  }

  const relay: ModelRelay = {
    dial,
    visitors,
    fault,
    up: true,
    restart() {
      starts++;
      for (const line of [...lines]) {
        put(line, { t: "bye", retry: [0, 3_000] });
        end(line, CLOSE_CODE.restart);
      }
    },
    crash() {
      starts++;
      for (const line of [...lines]) {
        line.relayAlive = false;
        end(line, 1006);
      }
    },
    cut(tab, silent) {
      for (const line of lines.filter((other) => other.tab === tab)) {
        if (silent) line.clientAlive = line.relayAlive = false;
        else end(line, 1006);
      }
    },
    reply(visitor) {
      const pos = ++visitor.head;
      return write(visitor, { id: `r-${pos}`, from: "reply", pos, n: pos, at: world.now(), text: `answer ${pos}` });
    },
    judge(visitor, state) {
      const waiting = changes(visitor, 0).find((message) => message.from === "visitor" && message.state === "sent");
      if (waiting?.from === "visitor") change(visitor, waiting, state);
    },
    connections: () => lines.length,
  };
  return relay;
}
