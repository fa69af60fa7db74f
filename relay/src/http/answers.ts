import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Clock } from "../base/clock.ts";

/**
 * What every answer says unless its door says something else: nobody keeps a copy, because most answers hold people's
 * data, and nobody guesses a type. The files of the widget and its pages name their own `Cache-Control`.
 */
const DEFAULTS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" } as const;

/** A download without a known length may take so long, in milliseconds. */
const ANSWER_MS = 120_000;
/** A longer one takes so many bytes a millisecond at least: 16 KiB a second, a bad mobile line. */
const SLOWEST = 16.384;

/**
 * Whether the answer may be large. The lines of the fallback transport stay open on purpose, and `http/fallback` bounds them;
 * answers to other methods fit what the system keeps for a reader.
 */
const isDownload = ({ method, url }: IncomingMessage): boolean =>
  (method === "GET" || method === "HEAD") && url?.startsWith("/socket/lines/") !== true;

/**
 * Gives every answer its defaults, also those that the framework makes by itself, and downloads a deadline: a client that
 * reads slowly must not hold a connection and an open file for ever (RELIABILITY A24).
 */
export function withAnswers(clock: Clock, listener: RequestListener): RequestListener {
  return (request, response) => {
    for (const [name, value] of Object.entries(DEFAULTS)) response.setHeader(name, value);
    if (isDownload(request)) bound(clock, response);
    return listener(request, response);
  };
}

/** Destroys the connection when the answer is not out in time. */
function bound(clock: Clock, response: ServerResponse): void {
  const begun = clock.uptime();
  const look = (): void => {
    const size = Number(response.getHeader("content-length") ?? 0);
    const left = begun + ANSWER_MS + size / SLOWEST - clock.uptime();
    if (left > 0) cancel = clock.after(left, look);
    else response.destroy();
  };
  let cancel = clock.after(ANSWER_MS, look);
  response.once("close", () => cancel());
}
