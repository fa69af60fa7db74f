/** Outgoing HTTP requests: callbacks, and fetches of media links. Redirects are not followed. */

import { Agent } from "undici";

export type Outcome = {
  status: number;
  contentType: string;
  body: Buffer;
};

export type Poster = {
  /** @throws Error with a short sentence when refused, reset, too large or late */
  request(ask: {
    method: "GET" | "POST";
    url: string;
    headers?: Record<string, string>;
    body?: string;
    timeoutMs: number;
    maxBytes: number;
  }): Promise<Outcome>;
  close(): Promise<void>;
};

/** Connections per client host. Callbacks of one contact follow each other, so this many contacts are served at once. */
const CONNECTIONS = 64;
/** Milliseconds for which an idle connection is kept. Short, because a relay that stops waits until the connection has ended. */
const KEPT_MS = 500;

const ERROR_TEXTS: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "host not found",
  UND_ERR_SOCKET: "connection closed",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
};

function describeError(error: unknown, timedOut: boolean, timeoutMs: number): Error {
  if (timedOut) return new Error(`no answer within ${timeoutMs} ms`);
  if (!(error instanceof Error)) return new Error("failed");
  const code = "code" in error ? String(error.code) : "";
  return new Error(ERROR_TEXTS[code] ?? (error.message || code));
}

/** @returns a pool of connections; `close` ends it */
export function createPoster(): Poster {
  const agent = new Agent({
    connections: CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: KEPT_MS,
    keepAliveMaxTimeout: KEPT_MS,
  });

  return {
    async request({ url, method, headers = {}, body, timeoutMs, maxBytes }) {
      const abort = new AbortController();
      let timedOut = false;
      const timer = setTimeout(() => {
        timedOut = true;
        abort.abort();
      }, timeoutMs);
      try {
        const { origin, pathname, search } = new URL(url);
        const path = `${pathname}${search}`;
        const answer = await agent.request({ origin, path, method, headers, body: body ?? null, signal: abort.signal });
        const chunks: Buffer[] = [];
        let size = 0;
        for await (const chunk of answer.body) {
          size += chunk.length;
          if (size > maxBytes) throw new Error(`answer larger than ${maxBytes} bytes`);
          chunks.push(chunk);
        }
        const contentType = String(answer.headers["content-type"] ?? "");
        return { status: answer.statusCode, contentType, body: Buffer.concat(chunks) };
      } catch (error) {
        throw describeError(error, timedOut, timeoutMs);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
}
