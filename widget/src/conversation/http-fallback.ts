/**
 * The transport for networks that block WebSockets. Frames come down as a streamed response, or as answers to long polls where
 * a proxy holds streams back. They go up as POST requests. Each line is one frame. `relay/src/http/fallback.ts` is the relay's
 * side.
 *
 * Over HTTP/1.1 a browser keeps six connections to a host for all its tabs, and six waiting ones would leave none for POST
 * requests. So only one visible tab keeps a connection waiting; the others poll from time to time (WIDGET 3.4).
 *
 * This file is fetched only when needed. It repeats no request: a lost answer or POST counts as a lost connection, and after
 * the reconnect the relay sends what is missing.
 */

import { CLOSE_CODE, LOST } from "@porchlight/shared/close";
import { FRAME_MAX } from "@porchlight/shared/limits";
import type { OpenTransport, Transport, TransportEvents } from "./connection.ts";
import { createTimer, type Page, type Timer } from "./page.ts";

export type FallbackOptions = {
  /** Origin of the relay. */
  relay: string;
  page: Page;
  /** Opens a WebSocket; tried from time to time. */
  socket: OpenTransport;
  fetch?: typeof fetch;
  /** How long a stream may be silent at its start, in milliseconds. */
  silence?: number;
};

/** A stream that sends nothing for this long is held back by a proxy. Longer on a slow network (WIDGET 3.4). */
const FIRST_MS = 5_000;
const FIRST_MAX_MS = 30_000;
/** After this time streams and WebSockets are tried again. */
const AGAIN_MS = 10 * 60_000;
/** Delay of that attempt while a POST is in flight or the page is hidden. */
const BUSY_MS = 10_000;
/** A WebSocket that does not open within this time has failed. */
const TRY_MS = 30_000;
/** Poll interval of a tab that may not keep a connection waiting. It grows while there is no news. */
const FAST_MS = 250;
const SLOW_MS = 4_000;

/** Internal close code, never sent: a proxy holds the stream back, so reconnect and use long polls. */
const HELD = 4000;
/** The relay's last line. It carries the close code, because an HTTP answer has none. */
const END = /^\{"t":"end","code":(\d+)\}$/;
const ignore = (): void => {};

/** A refusal by the relay, with the close code that a WebSocket would have got. */
class Refusal extends Error {
  readonly code: number;
  constructor(code: number) {
    super(String(code));
    this.code = code;
  }
}

/** Opens connections over plain HTTP. */
export function httpFallback(options: FallbackOptions): OpenTransport {
  const streams: Streams = { heldAt: undefined };
  return (events) => new FallbackConnection(options, events, streams);
}

/** What all connections of a page know of the network. `heldAt`: when a proxy last held a stream back. */
type Streams = { heldAt: number | undefined };

class FallbackConnection implements Transport {
  readonly #options: FallbackOptions;
  readonly #events: TransportEvents;
  readonly #down: Downstream;
  readonly #up: Upstream;
  readonly #webSocketRetry: WebSocketRetry;
  #over = false;
  #release: (() => void) | undefined;
  readonly #unwatch: () => void;

  constructor(options: FallbackOptions, events: TransportEvents, streams: Streams) {
    const { page } = options;
    this.#options = options;
    this.#events = events;
    this.#up = new Upstream(options, () => this.#down.expectAnswer());
    this.#down = new Downstream(options, streams, {
      frame: events.frame,
      lose: this.#lose,
      // We aborted the request ourselves, so frames may be lost. The answer to a ping shows the gap at once.
      aborted: () => this.send('{"t":"ping"}'),
    });
    this.#webSocketRetry = new WebSocketRetry(options, () => this.#up.isBusy, this.#lose);
    this.#unwatch = page.on("visibilitychange", this.#updateWaiting);
    this.#updateWaiting();
    this.#begin().catch(this.#fail);
  }

  send(text: string): void {
    if (!this.#over) this.#up.send(text).catch(this.#fail);
  }

  close(): void {
    if (this.#over) return;
    this.#stop();
    // If this request is lost, the relay ends the silent connection by itself.
    this.#up.leave().catch(ignore);
  }

  async #begin(): Promise<void> {
    const asked = this.#options.page.now();
    const path = await this.#up.begin();
    if (this.#over) return this.#up.leave();
    this.#webSocketRetry.schedule(AGAIN_MS);
    this.#events.open();
    await this.#down.read(path, this.#options.page.now() - asked);
  }

  /** A hidden tab gives up its waiting connection: there may be many tabs, and without Web Locks nothing limits them. */
  #updateWaiting = (): void => {
    const { page, relay } = this.#options;
    if (page.visible()) this.#release ??= page.lock(`porchlight:line:${relay}`, () => this.#down.setMayWait(true));
    else if (this.#release) {
      this.#release();
      this.#release = undefined;
      this.#down.setMayWait(false);
    }
  };

  #stop(): void {
    this.#over = true;
    this.#unwatch();
    this.#release?.();
    this.#webSocketRetry.stop();
    this.#down.stop();
  }

  #lose = (code = LOST): void => {
    if (this.#over) return;
    this.#stop();
    this.#events.close(code);
  };

  #fail = (error: unknown): void => this.#lose(error instanceof Refusal ? error.code : LOST);
}

type DownEvents = { frame(text: string): void; lose(code?: number): void; aborted(): void };

/** Frames from the relay: a stream, long polls, or short polls of a tab that may not keep a connection waiting. */
class Downstream {
  readonly #options: FallbackOptions;
  readonly #streams: Streams;
  readonly #events: DownEvents;
  readonly #firstLineTimer: Timer;
  readonly #pauseTimer: Timer;
  #asking = new AbortController();
  #over = false;
  #mayWait = false;
  #path = "";
  #firstTimeout = 0;
  #pause = FAST_MS;
  #wake = ignore;

  constructor(options: FallbackOptions, streams: Streams, events: DownEvents) {
    this.#options = options;
    this.#streams = streams;
    this.#events = events;
    this.#firstLineTimer = createTimer(options.page);
    this.#pauseTimer = createTimer(options.page);
  }

  /**
   * Reads until it is stopped.
   * @param path of the connection at the relay
   * @param trip milliseconds that the relay's first answer took
   * @throws when a request fails
   */
  async read(path: string, trip: number): Promise<void> {
    const { page, silence = FIRST_MS } = this.#options;
    this.#path = path;
    this.#firstTimeout = Math.min(Math.max(silence, 4 * trip), FIRST_MAX_MS);
    while (!this.#over) {
      this.#asking = new AbortController();
      const { signal } = this.#asking;
      const { heldAt } = this.#streams;
      const held = heldAt !== undefined && page.now() - heldAt < AGAIN_MS;
      try {
        if (!this.#mayWait) await this.#shortPoll();
        else if (held) this.#take(await (await this.#get("poll")).text());
        else await this.#stream();
      } catch (error) {
        if (!signal.aborted) throw error;
        this.#firstLineTimer.off();
        this.#events.aborted();
      }
    }
  }

  /** Whether this tab may keep a connection waiting. */
  setMayWait(may: boolean): void {
    if (this.#over) return;
    if (this.#mayWait && !may) this.#asking.abort();
    this.#mayWait = may;
    this.#wake();
  }

  /** Frames went up: an answer is likely, so poll soon. */
  expectAnswer(): void {
    this.#pause = FAST_MS / 2;
    this.#wake();
  }

  stop(): void {
    this.#over = true;
    this.#firstLineTimer.off();
    this.#pauseTimer.off();
    this.#wake();
    this.#asking.abort();
  }

  async #get(mode: string): Promise<Response> {
    const { relay, fetch: ask = fetch } = this.#options;
    const { signal } = this.#asking;
    const answer = await ask(`${relay}${this.#path}?mode=${mode}`, { credentials: "omit", cache: "no-store", signal });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer;
  }

  /** Passes every complete line on. @returns the incomplete rest */
  #take(text: string): string {
    const lines = text.split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      const end = END.exec(line);
      if (this.#over) return "";
      if (end) this.#events.lose(Number(end[1]));
      else if (line) this.#events.frame(line);
    }
    return rest;
  }

  async #stream(): Promise<void> {
    this.#firstLineTimer.set(this.#firstTimeout, () => {
      this.#streams.heldAt = this.#options.page.now();
      this.#events.lose(HELD);
    });
    const { body } = await this.#get("stream");
    const reader = body?.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      this.#firstLineTimer.off();
      if (done) return this.#events.lose();
      rest = this.#take(rest + value);
    }
  }

  async #shortPoll(): Promise<void> {
    const text = await (await this.#get("poll&wait=0")).text();
    this.#take(text);
    this.#pause = text ? FAST_MS : Math.min(this.#pause * 2, SLOW_MS);
    if (this.#over || this.#mayWait) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#pauseTimer.set(this.#pause, resolve);
    });
  }
}

/** Frames to the relay: one POST at a time, so they arrive in order. */
class Upstream {
  readonly #options: FallbackOptions;
  readonly #sent: () => void;
  #path: string | undefined;
  #waiting: string[] = [];
  isBusy = false;

  /** @param sent called when all waiting frames have gone */
  constructor(options: FallbackOptions, sent: () => void) {
    this.#options = options;
    this.#sent = sent;
  }

  /** Opens the connection. @returns its path at the relay */
  async begin(): Promise<string> {
    const { line } = (await (await this.#post("/socket/lines")).json()) as { line: string };
    this.#path = `/socket/lines/${line}`;
    return this.#path;
  }

  async send(text: string): Promise<void> {
    this.#waiting.push(text);
    if (this.isBusy || !this.#path) return;
    this.isBusy = true;
    while (this.#waiting.length) await this.#post(this.#path, this.#batch());
    this.isBusy = false;
    this.#sent();
  }

  /** Sends the waiting frames and ends the connection, even while the page unloads. */
  async leave(): Promise<void> {
    const body = this.#batch();
    this.#waiting = [];
    if (!this.#path) return;
    if (body) await this.#post(this.#path, body, true);
    await this.#post(`${this.#path}/end`, "", true);
  }

  /** @returns as many waiting frames as one POST may carry */
  #batch(): string {
    const waiting = this.#waiting;
    let body = waiting.shift() ?? "";
    while (waiting[0] !== undefined && body.length + waiting[0].length < FRAME_MAX) body += `\n${waiting.shift()}`;
    return body;
  }

  /** Sends a POST request, with a content type that needs no CORS preflight. */
  async #post(to: string, body = "", keepalive = false): Promise<Response> {
    const { relay, fetch: ask = fetch } = this.#options;
    const headers = { "Content-Type": "text/plain" };
    const answer = await ask(relay + to, { method: "POST", body, headers, credentials: "omit", keepalive });
    if (answer.ok) return answer;
    // A proxy's error answer is not JSON.
    const { code } = (await answer.json().catch(ignore)) ?? {};
    throw code === "origin_not_allowed" ? new Refusal(CLOSE_CODE.notAllowed) : new Error(String(answer.status));
  }
}

/** Tries a WebSocket from time to time, and drops the fallback's connection once one opens. */
class WebSocketRetry {
  readonly #options: FallbackOptions;
  readonly #timer: Timer;
  readonly #isBusy: () => boolean;
  readonly #opened: () => void;
  #probe: Transport | undefined;

  constructor(options: FallbackOptions, isBusy: () => boolean, opened: () => void) {
    this.#options = options;
    this.#timer = createTimer(options.page);
    this.#isBusy = isBusy;
    this.#opened = opened;
  }

  /** Tries after that many milliseconds. */
  schedule(ms: number): void {
    const { page, socket } = this.#options;
    this.#timer.set(ms, () => {
      if (this.#isBusy() || !page.visible()) return this.schedule(BUSY_MS);
      this.#timer.set(TRY_MS, this.#retryLater);
      this.#probe = socket({ open: () => this.#opened(), frame: ignore, close: this.#retryLater });
    });
  }

  stop(): void {
    this.#timer.off();
    this.#probe?.close();
  }

  #retryLater = (): void => {
    this.#probe?.close();
    this.schedule(AGAIN_MS);
  };
}
