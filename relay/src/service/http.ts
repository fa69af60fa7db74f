import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { isLoopback } from "@porchlight/shared/loopback";
import { Agent, type Dispatcher } from "undici";
import { type Clock, realClock } from "../base/clock.ts";
import { createDeadlines } from "../base/deadlines.ts";
import { parseExact } from "../base/exact-json.ts";

/** The result of a request. `unsent`: certainly not processed. `unanswered`: it may have been processed. */
export type Answer =
  | {
      phase: "answered";
      status: number;
      headers: Record<string, string | string[] | undefined>;
      text: string;
      /** The parsed body; undefined when it is not JSON. */
      json: unknown;
    }
  | { phase: "unsent"; reason: string }
  | { phase: "unanswered"; reason: string };

/** One request to the service. */
export type Call = {
  method: "GET" | "POST";
  /** Below the base address, starts with `/`. */
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  /** Where the key is sent (interface 5): in the query for most endpoints, in a header for credits. */
  auth: "query" | "header";
  /** Milliseconds after which the call is given up. */
  timeout?: number;
  /** Uses a new connection: on a kept one, a stale socket turns a safe failure into an unknown outcome (RELIABILITY 3c). */
  fresh?: boolean;
  /** Asked when the request has a connection and is about to be written. After `false` nothing is written: `unsent`. */
  mayWrite?: () => boolean;
};

/** Sends requests to the service. `call` never rejects; `close` ends all connections. */
export type Transport = { call: (call: Call) => Promise<Answer>; close: () => Promise<void> };

/** The service's address and key, and how to connect. */
export type TransportOptions = {
  /** Ends in `/v1`; without a trailing slash. */
  baseUrl: string;
  /** Called for each request, so that a new key is used at once. */
  key: () => string;
  /** Plain http to another machine is refused unless this is set. */
  allowInsecure?: boolean;
  /** Most kept-alive connections; default 64. */
  connections?: number;
  clock?: Clock;
};

/** Time limits for the connection and for a whole call, in ms. */
const CONNECT_MS = 5_000;
const TOTAL_MS = 15_000;
/** Most bytes of an answer that are read; no known answer is longer. */
const ANSWER_MAX = 256 * 1024;

/** The service's address. @throws Error when it is not an address, or the key would be sent unencrypted to another machine */
function checkedBaseUrl({ baseUrl, allowInsecure = false }: TransportOptions): URL {
  // The error of `new URL` quotes the address, which may contain a key by mistake.
  if (!URL.canParse(baseUrl)) throw new Error("SERVICE_URL: not an address");
  const base = new URL(baseUrl);
  if (base.protocol === "http:" && !allowInsecure && !isLoopback(base.hostname)) {
    throw new Error("SERVICE_URL: plain http sends the key unencrypted; use https, or set ALLOW_INSECURE_SERVICE=true");
  }
  return base;
}

/**
 * Creates the transport. It calls the service over kept-alive connections with undici's own interface, which is 14 times as
 * fast as `fetch`. Only this module puts the key into a URL: none of its errors, log lines or answers contains it. Redirects
 * are not followed, because they would send the key to another host.
 */
export function createTransport(options: TransportOptions): Transport {
  const base = checkedBaseUrl(options);
  const prefix = base.pathname.replace(/\/+$/, "");
  // The whole call has its own deadline, because these two timers restart with every byte.
  const common = { allowH2: false, connect: { timeout: CONNECT_MS }, headersTimeout: 0, bodyTimeout: 0 };
  const kept = new Agent({ ...common, connections: options.connections ?? 64, pipelining: 1 });
  const clock = options.clock ?? realClock;
  const usualDeadline = createDeadlines(clock, TOTAL_MS);

  /** The only place where a key is put into an address. The key may contain any character. */
  function pathOf({ path, query, auth }: Call, key: Key): string {
    if (query === undefined) return prefix + path + (auth === "query" ? key.search : "");
    const params = new URLSearchParams(query);
    if (auth === "query") params.set("apiKey", key.text);
    return `${prefix}${path}?${params.toString()}`;
  }

  /** Values derived from the present key. */
  let current: Key | undefined;
  function keyOf(text: string): Key {
    if (current?.text !== text)
      current = { text, search: `?${new URLSearchParams({ apiKey: text })}`, hide: redactor(text) };
    return current;
  }

  function optionsOf(call: Call, key: Key): Dispatcher.DispatchOptions {
    return {
      origin: base.origin,
      path: pathOf(call, key),
      method: call.method,
      headers: {
        accept: "application/json",
        "user-agent": "porchlight",
        ...(call.body === undefined ? {} : { "content-type": "application/json" }),
        ...(call.auth === "header" ? { "x-api-key": key.text } : {}),
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    };
  }

  /** Sets a deadline for a call; most calls have the same length. */
  const setDeadline = (ms: number | undefined, due: () => void): (() => void) =>
    ms === undefined ? usualDeadline(due) : clock.after(ms, due);

  return {
    async call(call) {
      const key = keyOf(options.key());
      const agent = call.fresh ? new Agent({ ...common, pipelining: 0 }) : kept;
      try {
        const deadline = (due: () => void) => setDeadline(call.timeout, due);
        return await exchange(agent, optionsOf(call, key), key, deadline, call.mayWrite);
      } finally {
        if (agent !== kept) await agent.destroy();
      }
    },
    close: () => kept.destroy(),
  };
}

/** A key with values that are derived from it once: the query that contains it, and the function that hides it. */
type Key = { text: string; search: string; hide: (text: string) => string };

/** Returns only the error code: messages and causes may contain the address, and with it the key. */
const reasonOf = (error: unknown): string => {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === "string" ? code : "unknown";
};

/**
 * Makes one request on undici's own callbacks, because promises, streams and signals cost more than the exchange.
 * `onRequestStart` reports when the request has a connection and is about to be written. Error codes cannot show that: a route
 * may fail before or after it, and TLS fails in many ways.
 * @param deadline sets the call's deadline; its result cancels it
 * @param mayWrite as in `Call`
 */
function exchange(
  agent: Dispatcher,
  options: Dispatcher.DispatchOptions,
  key: Key,
  deadline: (due: () => void) => () => void,
  mayWrite: () => boolean = () => true,
): Promise<Answer> {
  return new Promise((resolve) => {
    let written = false;
    let settled = false;
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: Record<string, string | string[] | undefined> = {};
    const parts: Buffer[] = [];
    let size = 0;
    const cancel = deadline(() => {
      settle({ phase: written ? "unanswered" : "unsent", reason: "TIMEOUT" });
      controller?.abort(new Error("too late"));
    });
    function settle(answer: Answer): void {
      settled = true;
      cancel();
      resolve(answer);
    }
    const done = (): void => settle(answerOf(status, headers, textOf(parts, headers), key));
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started;
        written = !settled && mayWrite();
        // The call was given up or withdrawn while it waited for a connection, so nothing is written.
        if (written) return;
        settle({ phase: "unsent", reason: "WITHDRAWN" });
        started.abort(new Error("too late"));
      },
      onResponseStart(_, code, given) {
        status = code;
        headers = given;
      },
      onResponseData(_, part) {
        size += part.length;
        parts.push(part);
        if (size <= ANSWER_MAX) return;
        done();
        controller?.abort(new Error("too long"));
      },
      onResponseEnd: done,
      onResponseError: (_, error) => settle({ phase: written ? "unanswered" : "unsent", reason: reasonOf(error) }),
    };
    try {
      agent.dispatch(options, handler);
    } catch (error) {
      settle({ phase: "unsent", reason: reasonOf(error) });
    }
  });
}

/** The answer of the service, with the key hidden in its text and its values. */
function answerOf(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  text: string,
  { hide }: Key,
): Answer {
  const shown = hide(text);
  // In a text without a backslash, every value is spelled as it is, so the key cannot hide in an escape.
  const plain = shown === text && !text.includes("\\");
  return { phase: "answered", status, headers, text: shown, json: parsed(text, plain ? undefined : hide) };
}

/** Hides the key in every spelling in which the service or a proxy may quote it: escaped, encoded, in base64 or hex. */
function redactor(key: string): (text: string) => string {
  if (key === "") return (text) => text;
  const bytes = Buffer.from(key);
  const html = key.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const spellings = [
    key,
    html,
    JSON.stringify(key).slice(1, -1),
    encodeURIComponent(key.toWellFormed()),
    new URLSearchParams([["", key]]).toString().slice(1),
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
    bytes.toString("hex"),
  ];
  const pattern = spellings.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|");
  const spelled = new RegExp(pattern, "gi");
  return (text) => text.replace(spelled, "[redacted]");
}

/** Decompresses an answer. Some proxies compress answers although the relay does not ask for it. */
function decompressed(bytes: Buffer, encoding: string): Buffer {
  const options = { maxOutputLength: ANSWER_MAX };
  if (/gzip/i.test(encoding)) return gunzipSync(bytes, options);
  return /\bbr\b/i.test(encoding) ? brotliDecompressSync(bytes, options) : bytes;
}

/** The text of an answer; empty when it cannot be decompressed or is too long. */
function textOf(parts: readonly Buffer[], headers: Record<string, string | string[] | undefined>): string {
  try {
    const bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
    const encoding = headers["content-encoding"];
    return (encoding === undefined ? bytes : decompressed(bytes, String(encoding))).toString();
  } catch {
    return "";
  }
}

/** Parses an answer, and hides the key in its values, because JSON has many ways to spell a character. */
function parsed(text: string, hide: ((text: string) => string) | undefined): unknown {
  try {
    return parseExact(text, hide);
  } catch {
    return undefined;
  }
}
