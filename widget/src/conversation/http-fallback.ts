/**
 * The way to the relay where WebSockets do not get through: down as a stream of lines, or as answers to long polls where a
 * proxy holds streams back; up as posts. One frame a line. The relay's side, with the routes, is `relay/src/http/fallback.ts`.
 *
 * Over HTTP/1.1 a browser keeps six connections to a host, for all tabs together: six that wait leave none for the posts.
 * So one tab keeps a connection waiting, one that is looked at; the others ask now and then (WIDGET 3.4).
 *
 * Fetched only when needed. Nothing here repeats anything: an answer or a post that is lost is a lost connection, and
 * the next greeting finds what is missing.
 */

import { CLOSE_CODE } from "@porchlight/shared/close";
import { FRAME_MAX } from "@porchlight/shared/limits";
import type { OpenTransport, Transport } from "./connection.ts";
import { createTimer, type Page } from "./page.ts";

export type LineOptions = {
  /** Origin of the relay. */
  relay: string;
  page: Page;
  /** The better way, looked for now and then. */
  socket: OpenTransport;
  fetch?: typeof fetch;
  /** How long a stream may be silent at first, in milliseconds. */
  silence?: number;
};

/** A stream says something at once, or after as long as a few other answers take; else a proxy holds it back (WIDGET 3.4). */
const FIRST_MS = 5_000;
const FIRST_MAX_MS = 30_000;
/** What was found out about streams and WebSockets is looked at anew after so long. */
const AGAIN_MS = 10 * 60_000;
/** Not while something is under way. */
const BUSY_MS = 10_000;
const TRY_MS = 30_000;
/** How long a tab that may not wait for an answer waits before it asks again: longer while there is nothing. */
const BRISK_MS = 250;
const SLOW_MS = 4_000;
const LOST = 1006;
/** Never sent: opened and heard of, and yet to be opened in another manner. */
const HELD = 4000;
/** The relay's last line, because an answer has no close code. */
const END = /^\{"t":"end","code":(\d+)\}$/;
const ignore = (): void => {};

/** The relay's no, with the code that a WebSocket would have been closed with. */
class Refusal extends Error {
  readonly code: number;
  constructor(code: number) {
    super(String(code));
    this.code = code;
  }
}

export function openLines(options: LineOptions): OpenTransport {
  const { relay, page, socket, fetch: ask = fetch, silence = FIRST_MS } = options;
  /** When a stream was found to be held back. */
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

    // ── who waits ───────────────────────────────────────────────────────────────────────────────────────────────

    /** A tab that is not looked at lets its connection go: there may be many, and no page without Web Locks counts them. */
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

    /** Hands over every whole line; answers the beginning of the next one. */
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
          // Let go by ourselves: what was on its way is missed, and the answer to this tells so at once.
          first.off();
          say('{"t":"ping"}');
        }
      }
    }

    // ── up ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /** The content type is one that browsers send without asking beforehand. */
    async function post(to: string, body = "", keepalive = false): Promise<Response> {
      const headers = { "Content-Type": "text/plain" };
      const answer = await ask(relay + to, { method: "POST", body, headers, credentials: "omit", keepalive });
      if (answer.ok) return answer;
      // A proxy's refusal is no JSON.
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

    /** One post at a time: what was said first arrives first. */
    async function flush(): Promise<void> {
      if (posting || !path) return;
      posting = true;
      while (waiting.length) await post(path, batch());
      posting = false;
      // There will be an answer.
      pause = BRISK_MS / 2;
      wake();
    }

    /** As many of the frames that wait as one post may carry. */
    function batch(): string {
      let body = waiting.shift() ?? "";
      while (waiting[0] !== undefined && body.length + waiting[0].length < FRAME_MAX) body += `\n${waiting.shift()}`;
      return body;
    }

    /** Says what was still to be said, and goodbye, even from a page that is going away. */
    async function leave(): Promise<void> {
      if (!path) return;
      if (waiting.length) await post(path, batch(), true);
      await post(`${path}/end`, "", true);
    }

    // ── back to the WebSocket ───────────────────────────────────────────────────────────────────────────────────

    /** After a while tries whether a WebSocket opens by now, beside the line; then the line is lost for a better one. */
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
        // A goodbye that is lost is a silence that the relay ends by itself.
        leave().catch(ignore);
        waiting = [];
      },
    };
  };
}
