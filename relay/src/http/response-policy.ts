import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Clock } from "../base/clock.ts";
import { limitUnreadBody } from "./body.ts";
import { type BodyBudget, createBodyBudget, type PendingBody } from "./body-budget.ts";

/**
 * Headers of every answer, unless its route sets them: no caching, because most answers contain personal data, and no type
 * guessing. The widget's files and pages set their own `Cache-Control`.
 */
const DEFAULT_HEADERS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" } as const;

/** Most bytes of answers that wait for all clients together. */
const UNREAD_MAX = 48 * 1024 * 1024;
/** Bytes of memory that a file takes while it is read and sent: parts of it wait in three places. */
const FILE_BYTES = 64 * 1024;
/** Longest time of a small download, in milliseconds. */
const ANSWER_MS = 120_000;
/** Slowest download after that time, in bytes per millisecond: 16 KiB a second, as on a bad mobile connection. */
const SLOWEST = 16.384;

/**
 * The path of a fallback connection. It is one segment: in more of them, `..` would name another route once the path is
 * normalised, and `\` separates segments as well (url.spec.whatwg.org, "path state").
 */
const FALLBACK = /^\/socket\/lines\/[^/\\?#]+(?:\?|$)/;

/**
 * Whether the answer may be large. Answers of the HTTP fallback stay open on purpose, and `http/fallback` limits them;
 * answers to other methods fit into the system's socket buffer.
 */
const isDownload = ({ method, url = "" }: IncomingMessage): boolean =>
  (method === "GET" || method === "HEAD") && !FALLBACK.test(url);

/**
 * Sets the default headers of every answer, also of those that the framework makes. Sets a deadline for downloads: a client that
 * reads slowly must not hold a connection and an open file forever (RELIABILITY A24). Limits the memory for unread answers, and
 * what a client may send after its answer.
 */
export function withResponsePolicy(clock: Clock, listener: RequestListener): RequestListener {
  const unread = createBodyBudget(UNREAD_MAX);
  return (request, response) => {
    for (const [name, value] of Object.entries(DEFAULT_HEADERS)) response.setHeader(name, value);
    if (isDownload(request)) limitDuration(clock, response);
    limitUnreadBody(request, response);
    limitUnreadAnswer(unread, request, response);
    return listener(request, response);
  };
}

/** Whether the answer is a file, which is read while it is sent. */
const isFile = ({ method, url = "" }: IncomingMessage): boolean => method === "GET" && url.startsWith("/media/");

/**
 * Counts a file while it is sent, and what the client has not read of any other answer when that is complete. While all such
 * bytes are too many, the answers that wait longest are cut off: a flood of clients that do not read cuts itself off, from
 * however many addresses it comes (RELIABILITY A28).
 */
function limitUnreadAnswer(budget: BodyBudget, request: IncomingMessage, response: ServerResponse): void {
  const cutOff = (): void => {
    budget.remove(answer);
    response.destroy();
  };
  const answer: PendingBody = { size: 0, cutOff };
  if (isFile(request)) budget.add(answer, FILE_BYTES);
  else
    response.once("prefinish", () => {
      if (response.writableLength > 0) budget.add(answer, response.writableLength);
    });
  response.once("close", () => budget.remove(answer));
}

/**
 * Destroys the connection when the answer is not sent in time. An answer that is made while it is sent, such as an export, has no
 * length: it may take the time for the part that was sent so far.
 */
function limitDuration(clock: Clock, response: ServerResponse): void {
  const startedAt = clock.uptime();
  const written = (): number => response.socket?.bytesWritten ?? 0;
  const before = written();
  const check = (): void => {
    const size = Number(response.getHeader("content-length") ?? written() - before);
    const left = startedAt + ANSWER_MS + size / SLOWEST - clock.uptime();
    if (left > 0) cancel = clock.after(left, check);
    else response.destroy();
  };
  let cancel = clock.after(ANSWER_MS, check);
  response.once("close", () => cancel());
}
