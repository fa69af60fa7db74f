/**
 * Keeps one greeted connection to the relay for as long as the page wants one: when to connect, when to believe that a
 * connection is dead, and when to come back. It knows frames and close codes, and nothing of messages.
 *
 * idle → connecting → online → waiting (or offline) → connecting → … ; `ended` is left only by `start`.
 */

import { backoff } from "@porchlight/shared/backoff";
import { CLOSE_CODE } from "@porchlight/shared/close";
import { SILENCE_MS } from "@porchlight/shared/limits";
import { parseRelayFrame } from "@porchlight/shared/parse";
import type { ClientFrame, Hello, RelayFrame } from "@porchlight/shared/protocol";
import { type ReadonlySignal, signal } from "@preact/signals-core";
import { createTimer, type Page } from "./page.ts";

/** `waiting`: lost, will try again. `offline`: the same, and the browser says it has no network. `ended`: never again. */
export type Link = "idle" | "connecting" | "online" | "waiting" | "offline" | "ended";
/** Names of `CLOSE_CODE` after which nobody comes back. `normal`: logged out, here or in another tab. */
export type LinkEnding = "badToken" | "notAllowed" | "gone" | "version" | "normal";

/** What a transport tells. Nothing is told before `OpenTransport` has returned, and nothing after `close`. */
export type TransportEvents = { open(): void; frame(text: string): void; close(code: number): void };
export type Transport = { send(text: string): void; close(): void };
/** Opens one connection. Every transport carries the same frames, each as one text. */
export type OpenTransport = (events: TransportEvents) => Transport;

export type Connection = {
  readonly link: ReadonlySignal<Link>;
  readonly ending: ReadonlySignal<LinkEnding | undefined>;
  start(): void;
  stop(): void;
  /** Ends for good, from this side. */
  end(why: LinkEnding): void;
  /** Without effect while not online: whoever needs an answer asks again after the next welcome. */
  send(frame: ClientFrame): void;
  /** Drops the connection and greets anew: at once, or as after any other loss. */
  again(at?: "now"): void;
};

export type ConnectionOptions = {
  page: Page;
  open: OpenTransport;
  hello(): Hello;
  /** A valid frame of the relay; the first is always `welcome`. */
  heard(frame: RelayFrame): void;
  /** A connection was given up, for whatever reason. */
  lost(code: number): void;
  /** The same for whoever chooses the transport: whether it opened, and whether the relay said anything at all. */
  judge?(opened: boolean, spoke: boolean): void;
  /** The relay refused the token or identity of the last `hello`. Answers whether to greet again without it. */
  refused(): boolean;
  /** Whether to stay although nobody looks, because the visitor wants to be told of replies. Asked again and again. */
  stays?(): boolean;
};

/**
 * Sockets get stuck while connecting; after this long the attempt counts as failed (WIDGET 3.2). Doubled
 * with every failure: a slow network is one where nothing opens in time.
 */
const CONNECT_MS = 8_000;
const CONNECT_MAX_MS = 30_000;
/** An answer to a ping takes no longer on a connection that lives, or twice as long as the greeting took. */
const PROBE_MS = 2_500;
const TICK_MS = 5_000;
/** A tick this late means that the machine slept or the clock was set. */
const JUMP_MS = 30_000;
const HIDDEN_MS = 5 * 60_000;
const HEALTHY_MS = 30_000;
const RETRY_BASE_MS = 500;
const RETRY_CAP_MS = 30_000;
const LOST = 1006;
/**
 * After these nobody comes back. Without `normal`: 1000 is the relay's word only in answer to ours, and from anyone in
 * between it is one more loss.
 */
export const FINAL = ["notAllowed", "gone", "version"] as const;

export function createConnection({
  page,
  open,
  hello,
  heard,
  lost,
  judge,
  refused,
  stays,
}: ConnectionOptions): Connection {
  const link = signal<Link>("idle");
  const ending = signal<LinkEnding | undefined>();
  let transport: Transport | undefined;
  /** Callbacks of an attempt that is no longer the current one are void. */
  let current = 0;
  let opened = false;
  let spoke = false;
  let failures = 0;
  /** When it opened, then when it was welcomed. */
  let since = 0;
  /** How long the welcome took. */
  let greeting = 0;
  let lastFrame = 0;
  let lastTick = 0;
  /** From the relay's `bye`: no return before this time. */
  let notBefore = 0;
  let listeners: (() => void)[] = [];
  const retry = createTimer(page);
  const deadline = createTimer(page);
  const ticking = createTimer(page);
  const hiding = createTimer(page);

  const online = () => link.value === "online";
  const wanted = () => page.visible() || stays?.();
  const send = (frame: ClientFrame) => transport?.send(JSON.stringify(frame));

  /** Never waits for the transport's own close: a dead one does not report it. */
  function drop(code: number): void {
    const given = transport;
    current++;
    retry.off();
    deadline.off();
    ticking.off();
    if (!given) return;
    if (online() && page.now() - since >= HEALTHY_MS) failures = 0;
    transport = undefined;
    judge?.(opened, spoke || code !== LOST);
    given.close();
    lost(code);
  }

  /** Gives the attempt its time: to open, and as long again to be welcomed. */
  function expect(): void {
    deadline.set(Math.min(CONNECT_MS * 2 ** failures, CONNECT_MAX_MS), () => closed(LOST));
  }

  function connect(): void {
    drop(LOST);
    const mine = current;
    link.value = "connecting";
    opened = spoke = false;
    expect();
    transport = open({
      open() {
        if (mine !== current) return;
        opened = true;
        since = page.now();
        expect();
        send(hello());
      },
      frame: (text) => mine === current && receive(text),
      close: (code) => mine === current && closed(code),
    });
  }

  function receive(text: string): void {
    lastFrame = page.now();
    spoke = true;
    if (online()) deadline.off();
    const parsed = parseRelayFrame(text);
    if (!("frame" in parsed)) return;
    const { frame } = parsed;
    // A field that the relay left out is absent, whatever another script of the page wrote to `Object.prototype`.
    Object.setPrototypeOf(frame, null);
    if (frame.t === "welcome") {
      deadline.off();
      link.value = "online";
      lastTick = page.now();
      greeting = lastTick - since;
      since = lastTick;
      ticking.set(TICK_MS, tick);
    } else if (frame.t === "bye") {
      const [from, to] = frame.retry;
      notBefore = page.now() + from + Math.floor(page.random() * Math.max(0, to - from));
    }
    if (online()) heard(frame);
  }

  function closed(code: number): void {
    const final = FINAL.find((name) => CLOSE_CODE[name] === code);
    const greeted = online();
    drop(code);
    if (link.value === "ended") return;
    if (final) end(final);
    // A token that was good until now was given back elsewhere: what the storage holds by then decides.
    else if (code !== CLOSE_CODE.badToken || greeted) wait();
    else if (refused()) connect();
    else end("badToken");
  }

  /** Comes back after a random time; a hidden page waits until it is looked at, unless it stays. */
  function wait(): void {
    const rest = notBefore - page.now();
    const ms = rest > 0 ? rest : backoff(++failures, RETRY_BASE_MS, RETRY_CAP_MS, page.random);
    link.value = page.online() ? "waiting" : "offline";
    retry.set(ms, () => wanted() && connect());
  }

  /** Silent for too long: the one case where the network is likely fine and only this connection is not. */
  function dead(): void {
    drop(LOST);
    if (wanted()) connect();
    else link.value = "waiting";
  }

  function probe(): void {
    if (!online() || deadline.on()) return;
    deadline.set(Math.max(PROBE_MS, 2 * greeting), dead);
    send({ t: "ping" });
  }

  function tick(): void {
    const now = page.now();
    const late = now - lastTick - TICK_MS;
    lastTick = now;
    ticking.set(TICK_MS, tick);
    // Timers of hidden pages are late by design, and becoming visible probes anyway.
    if (late > JUMP_MS && page.visible()) {
      lastFrame = now;
      probe();
    } else if (now - lastFrame > SILENCE_MS) dead();
    // The clock was put back.
    lastFrame = Math.min(lastFrame, now);
  }

  /** Something happened after which a connection is worth a look, or worth an attempt before its time. */
  function wake(): void {
    hiding.off();
    if (transport) probe();
    else if (notBefore > page.now()) wait();
    else if (wanted()) connect();
  }

  function look(): void {
    if (page.visible()) wake();
    else hiding.set(HIDDEN_MS, rest);
  }

  /** What nobody looks at shall cost nothing. But who asked for notifications was promised them; he may have had enough. */
  const rest = (): void => (stays?.() ? hiding.set(HIDDEN_MS, rest) : suspend());

  function unplug(): void {
    if (transport) probe();
    else link.value = "offline";
  }

  function suspend(): void {
    drop(LOST);
    link.value = "waiting";
  }

  function listen(): void {
    if (listeners.length) return;
    listeners = [
      page.on("visibilitychange", look),
      page.on("online", wake),
      page.on("pageshow", wake),
      page.on("focus", probe),
      page.on("offline", unplug),
      page.on("pagehide", suspend),
    ];
  }

  function halt(state: Link): void {
    for (const off of listeners.splice(0)) off();
    hiding.off();
    drop(CLOSE_CODE.normal);
    link.value = state;
  }

  function end(why: LinkEnding): void {
    ending.value = why;
    halt("ended");
  }

  return {
    link,
    ending,
    start() {
      if (link.value !== "idle" && link.value !== "ended") return;
      failures = notBefore = 0;
      ending.value = undefined;
      listen();
      if (!page.visible()) look();
      connect();
    },
    stop() {
      if (link.value !== "ended") halt("idle");
    },
    end,
    send(frame) {
      if (online()) send(frame);
    },
    again(at) {
      if (link.value === "idle" || link.value === "ended") return;
      // What is not open yet will greet with what is known by then.
      if (at && transport && !opened) return;
      drop(LOST);
      if (at) connect();
      else wait();
    },
  };
}
