/**
 * Keeps one connection to the relay open for as long as the page wants one. Decides when to connect, when a connection counts as
 * dead, and when to reconnect. It handles frames and close codes, not messages.
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

/** `waiting`: lost, will reconnect. `offline`: the same, and the browser reports no network. `ended`: will not reconnect. */
export type Link = "idle" | "connecting" | "online" | "waiting" | "offline" | "ended";
/** Names of `CLOSE_CODE` after which the widget does not reconnect. `normal`: logged out, here or in another tab. */
export type LinkEnding = "badToken" | "notAllowed" | "gone" | "version" | "normal";

/** The events of a transport. None comes before `OpenTransport` has returned, and none after `close`. */
export type TransportEvents = { open(): void; frame(text: string): void; close(code: number): void };
export type Transport = { send(text: string): void; close(): void };
/** Opens one connection. Every transport carries the same frames, each as one text. */
export type OpenTransport = (events: TransportEvents) => Transport;

export type Connection = {
  readonly link: ReadonlySignal<Link>;
  readonly ending: ReadonlySignal<LinkEnding | undefined>;
  start(): void;
  stop(): void;
  /** Ends the connection for good, from the widget's side. */
  end(why: LinkEnding): void;
  /** Does nothing while not online. A caller that needs an answer sends again after the next welcome. */
  send(frame: ClientFrame): void;
  /** Drops the connection and reconnects: at once with `now`, otherwise after the usual backoff. */
  again(at?: "now"): void;
};

export type ConnectionOptions = {
  page: Page;
  open: OpenTransport;
  hello(): Hello;
  /** A valid frame of the relay; the first is always `welcome`. */
  heard(frame: RelayFrame): void;
  /** Called when a connection was closed or given up. */
  lost(code: number): void;
  /** The same for the choice of transport. @param opened it opened @param spoke a frame or close code of the relay arrived */
  judge?(opened: boolean, spoke: boolean): void;
  /** Called when the relay refused the token or identity of the last `hello`. @returns whether to connect again without it */
  refused(): boolean;
  /** Whether a hidden page keeps its connection, because the visitor wants notifications. Called repeatedly. */
  stays?(): boolean;
};

/**
 * A connection attempt that takes longer counts as failed (WIDGET 3.2), because sockets can get stuck while connecting. Doubled
 * with every failure, for slow networks.
 */
const CONNECT_MS = 8_000;
const CONNECT_MAX_MS = 30_000;
/** Time limit for the answer to a ping; twice the time of the welcome if that is longer. */
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
 * Close codes after which the widget does not reconnect. `normal` is not among them: the relay sends 1000 only in answer to ours,
 * and a 1000 from a proxy is an ordinary loss.
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
  /** Number of the current attempt. Events of earlier attempts are ignored. */
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
  /** From the relay's `bye`: do not reconnect before this time. */
  let notBefore = 0;
  let listeners: (() => void)[] = [];
  const retry = createTimer(page);
  const deadline = createTimer(page);
  const ticking = createTimer(page);
  const hiding = createTimer(page);

  const online = () => link.value === "online";
  const wanted = () => page.visible() || stays?.();
  const send = (frame: ClientFrame) => transport?.send(JSON.stringify(frame));

  /** Does not wait for the transport's `close` event: a dead transport does not report it. */
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

  /** Sets the time limit of the attempt: once for opening, then again for the welcome. */
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
    // The token of an online connection ended elsewhere. Reconnect with the token that the storage holds by then.
    else if (code !== CLOSE_CODE.badToken || greeted) wait();
    else if (refused()) connect();
    else end("badToken");
  }

  /** Reconnects after a random delay. A hidden page waits until it is visible, unless `stays` says otherwise. */
  function wait(): void {
    const rest = notBefore - page.now();
    const ms = rest > 0 ? rest : backoff(++failures, RETRY_BASE_MS, RETRY_CAP_MS, page.random);
    link.value = page.online() ? "waiting" : "offline";
    retry.set(ms, () => wanted() && connect());
  }

  /** Reconnects at once after too long a silence: probably only this connection is dead, not the network. */
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
    // The clock was set back.
    lastFrame = Math.min(lastFrame, now);
  }

  /** Called when the page becomes visible or the network returns: probes the connection, or reconnects early. */
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

  /** Closes the connection of a page that was hidden for long. A visitor who wants notifications keeps it; asked each time. */
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
      // An attempt that has not opened yet will send a fresh `hello` anyway.
      if (at && transport && !opened) return;
      drop(LOST);
      if (at) connect();
      else wait();
    },
  };
}
