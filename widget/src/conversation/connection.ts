/**
 * Keeps one connection to the relay open for as long as the page wants one. Decides when to connect, when a connection counts
 * as dead, and when to reconnect. It handles frames and close codes, not messages.
 *
 * idle → connecting → online → waiting (or offline) → connecting → … ; `ended` is left only by `start`.
 */

import { backoff } from "@porchlight/shared/backoff";
import { CLOSE_CODE, LOST } from "@porchlight/shared/close";
import { SILENCE_MS } from "@porchlight/shared/limits";
import { parseRelayFrame } from "@porchlight/shared/parse";
import type { ClientFrame, Hello, RelayFrame } from "@porchlight/shared/protocol";
import { type ReadonlySignal, signal } from "@preact/signals-core";
import { createTimer, type Page, type Timer } from "./page.ts";

/** `waiting`: lost, will reconnect. `offline`: the same, and the browser reports no network. `ended`: will not reconnect. */
export type LinkState = "idle" | "connecting" | "online" | "waiting" | "offline" | "ended";
/** Names of `CLOSE_CODE` after which the widget does not reconnect. `normal`: logged out, here or in another tab. */
export type LinkEnding = "badToken" | "notAllowed" | "gone" | "version" | "normal";

/** The events of a transport. None comes before `OpenTransport` has returned, and none after `close`. */
export type TransportEvents = { open(): void; frame(text: string): void; close(code: number): void };
export type Transport = { send(text: string): void; close(): void };
/** Opens one connection. Every transport carries the same frames, each as one text. */
export type OpenTransport = (events: TransportEvents) => Transport;

export type Connection = {
  readonly link: ReadonlySignal<LinkState>;
  readonly ending: ReadonlySignal<LinkEnding | undefined>;
  start(): void;
  stop(): void;
  /** Ends the connection for good, from the widget's side. */
  end(why: LinkEnding): void;
  /** Does nothing while not online. A caller that needs an answer sends again after the next welcome. */
  send(frame: ClientFrame): void;
  /** Drops the connection and connects again: at once with `now`, otherwise after the usual backoff. */
  reconnect(at?: "now"): void;
};

export type ConnectionOptions = {
  page: Page;
  open: OpenTransport;
  hello(): Hello;
  /** A valid frame of the relay; the first is always `welcome`. */
  onFrame(frame: RelayFrame): void;
  /** Called when a connection was closed or given up. @param code its close code */
  lost(code: number): void;
  /**
   * Called with `lost`, for the choice of transport.
   * @param opened the connection opened
   * @param answered a frame or a close code of the relay arrived
   */
  judge?(opened: boolean, answered: boolean): void;
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
/** Interval of the check for a silent connection. */
const TICK_MS = 5_000;
/** A tick this late means that the machine slept or the clock was set. */
const JUMP_MS = 30_000;
/** A page that was hidden for this long closes its connection (WIDGET 3.1). */
const HIDDEN_MS = 5 * 60_000;
/** After a connection that was online for this long, the delays of reconnects start again from the first (WIDGET 3.3). */
const HEALTHY_MS = 30_000;
/** Bound of the first random delay of a reconnect, before it doubles, and the largest bound. See `backoff`. */
const RETRY_BASE_MS = 500;
const RETRY_CAP_MS = 30_000;
/**
 * Close codes after which the widget does not reconnect. `normal` is not among them: the relay sends 1000 only in answer to
 * the widget's, and a 1000 from a proxy is an ordinary loss.
 */
export const FINAL = ["notAllowed", "gone", "version"] as const;

/** The connection of `page` to the relay. Nothing happens before `start`. */
export const createConnection = (options: ConnectionOptions): Connection => new RelayConnection(options);

class RelayConnection implements Connection {
  readonly link = signal<LinkState>("idle");
  readonly ending = signal<LinkEnding | undefined>();
  readonly #options: ConnectionOptions;
  readonly #page: Page;
  readonly #retry: Timer;
  readonly #deadline: Timer;
  readonly #ticking: Timer;
  readonly #hiding: Timer;
  #transport: Transport | undefined;
  /** Number of the current attempt. Events of earlier attempts are ignored. */
  #attempt = 0;
  #opened = false;
  #answered = false;
  #failures = 0;
  /** When the connection opened, then when its welcome arrived. */
  #since = 0;
  /** Milliseconds from the opening to the welcome. */
  #welcomeMs = 0;
  #lastFrame = 0;
  #lastTick = 0;
  /** From the relay's `bye`: do not reconnect before this time. */
  #notBefore = 0;
  #listeners: (() => void)[] = [];

  constructor(options: ConnectionOptions) {
    const { page } = options;
    this.#options = options;
    this.#page = page;
    this.#retry = createTimer(page);
    this.#deadline = createTimer(page);
    this.#ticking = createTimer(page);
    this.#hiding = createTimer(page);
  }

  // ── for the conversation ────────────────────────────────────────────────────────────────────────────────────────

  start = (): void => {
    const { link, ending } = this;
    if (link.value !== "idle" && link.value !== "ended") return;
    this.#failures = this.#notBefore = 0;
    ending.value = undefined;
    this.#listen();
    if (!this.#page.visible()) this.#onVisibilityChange();
    this.#connect();
  };

  stop = (): void => {
    if (this.link.value !== "ended") this.#halt("idle");
  };

  end(why: LinkEnding): void {
    this.ending.value = why;
    this.#halt("ended");
  }

  send(frame: ClientFrame): void {
    if (this.#isOnline()) this.#write(frame);
  }

  reconnect(at?: "now"): void {
    const { value } = this.link;
    if (value === "idle" || value === "ended") return;
    // An attempt that has not opened yet will send a fresh `hello` anyway.
    if (at && this.#transport && !this.#opened) return;
    this.#drop(LOST);
    if (at) this.#connect();
    else this.#wait();
  }

  // ── one attempt ─────────────────────────────────────────────────────────────────────────────────────────────────

  #isOnline(): boolean {
    return this.link.value === "online";
  }

  /** Whether the page wants a connection now. */
  #isWanted(): boolean | undefined {
    return this.#page.visible() || this.#options.stays?.();
  }

  #write(frame: ClientFrame): void {
    this.#transport?.send(JSON.stringify(frame));
  }

  #connect(): void {
    this.#drop(LOST);
    const mine = this.#attempt;
    this.link.value = "connecting";
    this.#opened = this.#answered = false;
    this.#setDeadline();
    const { open, hello } = this.#options;
    this.#transport = open({
      open: () => {
        if (mine !== this.#attempt) return;
        this.#opened = true;
        this.#since = this.#page.now();
        this.#setDeadline();
        this.#write(hello());
      },
      frame: (text) => mine === this.#attempt && this.#onFrame(text),
      close: (code) => mine === this.#attempt && this.#onClosed(code),
    });
  }

  /** Sets the time limit of the attempt: once for opening, then again for the welcome. */
  #setDeadline(): void {
    this.#deadline.set(Math.min(CONNECT_MS * 2 ** this.#failures, CONNECT_MAX_MS), () => this.#onClosed(LOST));
  }

  #onFrame(text: string): void {
    this.#lastFrame = this.#page.now();
    this.#answered = true;
    if (this.#isOnline()) this.#deadline.off();
    const parsed = parseRelayFrame(text);
    if (!("frame" in parsed)) return;
    const { frame } = parsed;
    // A field that the relay left out is absent, whatever another script of the page wrote to `Object.prototype`.
    Object.setPrototypeOf(frame, null);
    if (frame.t === "welcome") this.#welcomed();
    else if (frame.t === "bye") {
      const [from, to] = frame.retry;
      this.#notBefore = this.#page.now() + from + Math.floor(this.#page.random() * Math.max(0, to - from));
    }
    if (this.#isOnline()) this.#options.onFrame(frame);
  }

  #welcomed(): void {
    this.#deadline.off();
    this.link.value = "online";
    this.#lastTick = this.#page.now();
    this.#welcomeMs = this.#lastTick - this.#since;
    this.#since = this.#lastTick;
    this.#ticking.set(TICK_MS, this.#tick);
  }

  /** Does not wait for the transport's `close` event: a dead transport does not report it. */
  #drop(code: number): void {
    const transport = this.#transport;
    const { judge, lost } = this.#options;
    this.#attempt++;
    for (const timer of [this.#retry, this.#deadline, this.#ticking]) timer.off();
    if (!transport) return;
    if (this.#isOnline() && this.#page.now() - this.#since >= HEALTHY_MS) this.#failures = 0;
    this.#transport = undefined;
    judge?.(this.#opened, this.#answered || code !== LOST);
    transport.close();
    lost(code);
  }

  /** Decides what follows a connection that was closed: the end, a reconnect at once, or one after a delay. */
  #onClosed(code: number): void {
    const final = FINAL.find((name) => CLOSE_CODE[name] === code);
    const greeted = this.#isOnline();
    this.#drop(code);
    if (this.link.value === "ended") return;
    if (final) this.end(final);
    // The token of an online connection ended elsewhere. Reconnect with the token that the storage holds by then.
    else if (code !== CLOSE_CODE.badToken || greeted) this.#wait();
    else if (this.#options.refused()) this.#connect();
    else this.end("badToken");
  }

  /** Reconnects after a random delay. A hidden page waits until it is visible, unless `stays` says otherwise. */
  #wait(): void {
    const page = this.#page;
    const rest = this.#notBefore - page.now();
    const ms = rest > 0 ? rest : backoff(++this.#failures, RETRY_BASE_MS, RETRY_CAP_MS, page.random);
    this.link.value = page.online() ? "waiting" : "offline";
    this.#retry.set(ms, () => this.#isWanted() && this.#connect());
  }

  // ── whether it still works ─────────────────────────────────────────────────────────────────────────────────────

  /** Reconnects at once after too long a silence: probably only this connection is dead, not the network. */
  #replaceDead = (): void => {
    this.#drop(LOST);
    if (this.#isWanted()) this.#connect();
    else this.link.value = "waiting";
  };

  #probe = (): void => {
    if (!this.#isOnline() || this.#deadline.on()) return;
    this.#deadline.set(Math.max(PROBE_MS, 2 * this.#welcomeMs), this.#replaceDead);
    this.#write({ t: "ping" });
  };

  #tick = (): void => {
    const now = this.#page.now();
    const late = now - this.#lastTick - TICK_MS;
    this.#lastTick = now;
    this.#ticking.set(TICK_MS, this.#tick);
    // Timers of hidden pages are late by design, and a page that becomes visible probes anyway.
    if (late > JUMP_MS && this.#page.visible()) {
      this.#lastFrame = now;
      this.#probe();
    } else if (now - this.#lastFrame > SILENCE_MS) this.#replaceDead();
    // The clock was set back.
    this.#lastFrame = Math.min(this.#lastFrame, now);
  };

  // ── what happens to the page ────────────────────────────────────────────────────────────────────────────────────

  #listen(): void {
    const page = this.#page;
    if (this.#listeners.length) return;
    this.#listeners = [
      page.on("visibilitychange", this.#onVisibilityChange),
      page.on("online", this.#wake),
      page.on("pageshow", this.#wake),
      page.on("focus", this.#probe),
      page.on("offline", () => {
        if (this.#transport) this.#probe();
        else this.link.value = "offline";
      }),
      page.on("pagehide", this.#suspend),
    ];
  }

  /** Called when the page becomes visible or the network returns: probes the connection, or reconnects early. */
  #wake = (): void => {
    this.#hiding.off();
    if (this.#transport) this.#probe();
    else if (this.#notBefore > this.#page.now()) this.#wait();
    else if (this.#isWanted()) this.#connect();
  };

  #onVisibilityChange = (): void => {
    if (this.#page.visible()) this.#wake();
    else this.#hiding.set(HIDDEN_MS, this.#suspendIfUnwanted);
  };

  /** Closes the connection of a page that was hidden for long, unless the visitor wants notifications. */
  #suspendIfUnwanted = (): void => {
    if (this.#options.stays?.()) this.#hiding.set(HIDDEN_MS, this.#suspendIfUnwanted);
    else this.#suspend();
  };

  #suspend = (): void => {
    this.#drop(LOST);
    this.link.value = "waiting";
  };

  #halt(state: LinkState): void {
    for (const off of this.#listeners.splice(0)) off();
    this.#hiding.off();
    this.#drop(CLOSE_CODE.normal);
    this.link.value = state;
  }
}
