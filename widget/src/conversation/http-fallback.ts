/**
 * The transport for networks that block WebSockets. Frames come down as a streamed response, or as answers to long polls where a
 * proxy holds streams back. They go up as POST requests. One frame a line. `relay/src/http/fallback.ts` is the relay's side.
 *
 * Over HTTP/1.1 a browser keeps six connections to a host for all its tabs, and six waiting ones would leave none for POST
 * requests. So only one visible tab keeps a connection waiting; the others poll from time to time (WIDGET 3.4).
 *
 * This file is fetched only when needed. It repeats no request: a lost answer or POST counts as a lost connection, and after the
 * reconnect the relay sends what is missing.
 */

import { CLOSE_CODE } from "@porchlight/shared/close";
import { FRAME_MAX } from "@porchlight/shared/limits";
import type { OpenTransport, Transport } from "./connection.ts";
import { createTimer, type Page } from "./page.ts";

export type LineOptions = {
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
const TRY_MS = 30_000;
/** Poll interval of a tab that may not keep a connection waiting. It grows while there is no news. */
const BRISK_MS = 250;
const SLOW_MS = 4_000;
const LOST = 1006;
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

export function openLines(options: LineOptions): OpenTransport {
  const { relay, page, socket, fetch: ask = fetch, silence = FIRST_MS } = options;
  /** When a held-back stream was last detected. */
  let heldAt: number | undefined;

  return (events) => {
    const first = createTimer(page);
    const rest = createTimer(page);
    const up = createTimer(page);
    let asking = new AbortController();
    let over = false;
    let waiting: string[] = [];
    let posting = false;
    let path: string | undefined;
    let pause = BRISK_MS;
    let wake = ignore;
    let mayWait = false;
    let release: (() => void) | undefined;
    let patience = silence;
    let probe: Transport | undefined;
    const unlook = page.on("visibilitychange", look);

    function stop(): void {
      over = true;
      for (const timer of [first, rest, up]) timer.off();
      for (const undo of [unlook, () => release?.(), () => probe?.close(), wake]) undo();
      asking.abort();
    }
    function lose(code = LOST): void {
      if (over) return;
      stop();
      events.close(code);
    }
    const fail = (error: unknown): void => lose(error instanceof Refusal ? error.code : LOST);

    // ── which tab waits ───────────────────────────────────────────────────────────────────────────────────────────────

    /** A hidden tab gives up its waiting connection: there may be many tabs, and without Web Locks nothing limits them. */
    function look(): void {
      if (page.visible()) release ??= page.lock(`porchlight:line:${relay}`, () => hold(true));
      else if (release) {
        release();
        release = undefined;
        hold(false);
      }
    }

    function hold(may: boolean): void {
      if (over) return;
      if (mayWait && !may) asking.abort();
      mayWait = may;
      wake();
    }

    // ── down ────────────────────────────────────────────────────────────────────────────────────────────────────

    async function get(mode: string): Promise<Response> {
      const { signal } = asking;
      const answer = await ask(`${relay}${path}?mode=${mode}`, { credentials: "omit", cache: "no-store", signal });
      if (!answer.ok) throw new Error(String(answer.status));
      return answer;
    }

    /** Passes every complete line on. @returns the incomplete rest */
    function take(text: string): string {
      const lines = text.split("\n");
      const rest = lines.pop() ?? "";
      for (const line of lines) {
        const end = END.exec(line);
        if (over) return "";
        if (end) lose(Number(end[1]));
        else if (line) events.frame(line);
      }
      return rest;
    }

    async function stream(): Promise<void> {
      first.set(patience, () => {
        heldAt = page.now();
        lose(HELD);
      });
      const { body } = await get("stream");
      const reader = body?.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        first.off();
        if (done) return lose();
        rest = take(rest + value);
      }
    }

    async function glance(): Promise<void> {
      const text = await (await get("poll&wait=0")).text();
      take(text);
      pause = text ? BRISK_MS : Math.min(pause * 2, SLOW_MS);
      if (over || mayWait) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        rest.set(pause, resolve);
      });
    }

    async function read(): Promise<void> {
      while (!over) {
        asking = new AbortController();
        const { signal } = asking;
        const held = heldAt !== undefined && page.now() - heldAt < AGAIN_MS;
        try {
          if (!mayWait) await glance();
          else if (held) take(await (await get("poll")).text());
          else await stream();
        } catch (error) {
          if (!signal.aborted) throw error;
          // We aborted the request ourselves, so frames may be lost. The answer to a ping shows the gap at once.
          first.off();
          say('{"t":"ping"}');
        }
      }
    }

    // ── up ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Uses a content type that needs no CORS preflight. */
    async function post(to: string, body = "", keepalive = false): Promise<Response> {
      const headers = { "Content-Type": "text/plain" };
      const answer = await ask(relay + to, { method: "POST", body, headers, credentials: "omit", keepalive });
      if (answer.ok) return answer;
      // A proxy's error answer is not JSON.
      const { code } = (await answer.json().catch(ignore)) ?? {};
      throw code === "origin_not_allowed" ? new Refusal(CLOSE_CODE.notAllowed) : new Error(String(answer.status));
    }

    async function begin(): Promise<void> {
      const asked = page.now();
      const { line } = (await (await post("/socket/lines")).json()) as { line: string };
      path = `/socket/lines/${line}`;
      if (over) return leave();
      patience = Math.min(Math.max(silence, 4 * (page.now() - asked)), FIRST_MAX_MS);
      climb(AGAIN_MS);
      events.open();
      await read();
    }

    function say(text: string): void {
      if (over) return;
      waiting.push(text);
      flush().catch(fail);
    }

    /** Sends one POST at a time, so frames arrive in order. */
    async function flush(): Promise<void> {
      if (posting || !path) return;
      posting = true;
      while (waiting.length) await post(path, batch());
      posting = false;
      // An answer is likely: poll soon.
      pause = BRISK_MS / 2;
      wake();
    }

    /** @returns as many waiting frames as one POST may carry */
    function batch(): string {
      let body = waiting.shift() ?? "";
      while (waiting[0] !== undefined && body.length + waiting[0].length < FRAME_MAX) body += `\n${waiting.shift()}`;
      return body;
    }

    /** Sends the waiting frames and ends the line, even while the page unloads. */
    async function leave(): Promise<void> {
      if (!path) return;
      if (waiting.length) await post(path, batch(), true);
      await post(`${path}/end`, "", true);
    }

    // ── back to the WebSocket ───────────────────────────────────────────────────────────────────────────────────

    /** Tries a WebSocket after a while. If it opens, drops this line so that the connection returns to WebSockets. */
    function climb(ms: number): void {
      up.set(ms, () => {
        if (posting || !page.visible()) return climb(BUSY_MS);
        const again = (): void => {
          probe?.close();
          climb(AGAIN_MS);
        };
        up.set(TRY_MS, again);
        probe = socket({ open: lose, frame: ignore, close: again });
      });
    }

    look();
    begin().catch(fail);
    return {
      send: say,
      close() {
        if (over) return;
        stop();
        // If this request is lost, the relay ends the silent line by itself.
        leave().catch(ignore);
        waiting = [];
      },
    };
  };
}
