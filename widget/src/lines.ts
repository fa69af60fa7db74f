/**
 * The way to the relay where WebSockets do not get through: down as a stream of lines, or as answers to long polls; up as
 * posts. One frame a line. The relay's side, with the routes, is `relay/src/http/lines.ts`.
 *
 * Fetched only when needed. Nothing here repeats anything: an answer or a post that is lost is a lost connection, and
 * the next greeting finds what is missing.
 */

import { FRAME_MAX } from "@porchlight/shared/limits";
import type { OpenTransport } from "./connection.ts";
import { createTimer, type Page } from "./page.ts";

export type LineOptions = {
  /** Origin of the relay. */
  relay: string;
  page: Page;
  fetch?: typeof fetch;
};

/** A stream says something at once; one that does not is held back by a proxy (WIDGET 3.4). */
const FIRST_MS = 5_000;
const LOST = 1006;
/** The relay's last line, because an answer has no close code. */
const END = /^\{"t":"end","code":(\d+)\}$/;

export const openStream = (options: LineOptions): OpenTransport => openLine(options, "stream");
export const openPoll = (options: LineOptions): OpenTransport => openLine(options, "poll");

function openLine({ relay, page, fetch: ask = fetch }: LineOptions, mode: "stream" | "poll"): OpenTransport {
  return (events) => {
    const leaving = new AbortController();
    const first = createTimer(page);
    let waiting: string[] = [];
    let posting = false;
    let path: string | undefined;

    function stop(): void {
      first.off();
      leaving.abort();
    }
    function lose(code = LOST): void {
      if (leaving.signal.aborted) return;
      stop();
      events.close(code);
    }

    async function get(): Promise<Response> {
      const answer = await ask(`${relay}${path}?mode=${mode}`, {
        credentials: "omit",
        cache: "no-store",
        signal: leaving.signal,
      });
      if (!answer.ok) throw new Error(String(answer.status));
      return answer;
    }

    /** The content type is one that browsers send without asking beforehand. */
    async function post(to: string, body = "", keepalive = false): Promise<Response> {
      const headers = { "Content-Type": "text/plain" };
      const answer = await ask(relay + to, { method: "POST", body, headers, credentials: "omit", keepalive });
      if (!answer.ok) throw new Error(String(answer.status));
      return answer;
    }

    /** Hands over every whole line; answers the beginning of the next one. */
    function take(text: string): string {
      const lines = text.split("\n");
      const rest = lines.pop() ?? "";
      for (const line of lines) {
        const end = END.exec(line);
        if (leaving.signal.aborted) return "";
        if (end) lose(Number(end[1]));
        else if (line) events.frame(line);
      }
      return rest;
    }

    async function stream(): Promise<void> {
      first.set(FIRST_MS, () => lose());
      const { body } = await get();
      const reader = body?.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        first.off();
        if (done) return lose();
        rest = take(rest + value);
      }
    }

    async function poll(): Promise<void> {
      while (!leaving.signal.aborted) take(await (await get()).text());
    }

    async function begin(): Promise<void> {
      const { line } = (await (await post("/socket/lines")).json()) as { line: string };
      path = `/socket/lines/${line}`;
      if (leaving.signal.aborted) return leave();
      events.open();
      await (mode === "stream" ? stream() : poll());
    }

    /** One post at a time: what was said first arrives first. */
    async function flush(): Promise<void> {
      if (posting || !path) return;
      posting = true;
      while (waiting.length) await post(path, batch());
      posting = false;
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

    begin().catch(() => lose());
    return {
      send(text) {
        waiting.push(text);
        flush().catch(() => lose());
      },
      close() {
        if (leaving.signal.aborted) return;
        stop();
        leave().catch(() => {});
        waiting = [];
      },
    };
  };
}
