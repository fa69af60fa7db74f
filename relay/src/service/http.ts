import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { isLoopback } from "@porchlight/shared/loopback";
import { Agent, type Dispatcher } from "undici";
import { type Clock, realClock } from "../base/clock.ts";
import { createDeadlines } from "../base/deadlines.ts";

/** What became of a request on the wire. `unsent`: certainly not processed. `unanswered`: nobody knows. */
export type Answer =
  | {
      phase: "answered";
      status: number;
      headers: Record<string, string | string[] | undefined>;
      text: string;
      /** The parsed body; nothing when it is no JSON. */
      json: unknown;
    }
  | { phase: "unsent"; reason: string }
  | { phase: "unanswered"; reason: string };

export type Call = {
  method: "GET" | "POST";
  /** Below the base address, starts with `/`. */
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  /** Where the key goes (interface section 5): the query of most endpoints, the header of credits. */
  auth: "query" | "header";
  /** Milliseconds until the call is given up. */
  timeout?: number;
  /** A connection of its own: on a kept one, a stale socket turns a safe failure into an unknown one (RELIABILITY 3c). */
  fresh?: boolean;
};

export type Transport = { call: (call: Call) => Promise<Answer>; close: () => Promise<void> };

export type TransportOptions = {
  /** Ends in `/v1`; without a trailing slash. */
  baseUrl: string;
  /** Asked at every call, so that a new key counts at once. */
  key: () => string;
  /** Plain http to another machine is refused unless this is set. */
  allowInsecure?: boolean;
  connections?: number;
  clock?: Clock;
};

const CONNECT_MS = 5_000;
const TOTAL_MS = 15_000;
/** Bytes of an answer that are read; none of ours is longer. */
const ANSWER_MAX = 256 * 1024;

/** @throws Error when the address would send the key in the clear to another machine */
function checked({ baseUrl, allowInsecure = false }: TransportOptions): URL {
  // The error of `new URL` quotes the address, and somebody may have pasted one with a key in it.
  if (!URL.canParse(baseUrl)) throw new Error("SERVICE_URL: not an address");
  const base = new URL(baseUrl);
  if (base.protocol === "http:" && !allowInsecure && !isLoopback(base.hostname)) {
    throw new Error("SERVICE_URL: plain http sends the key unencrypted; use https, or set ALLOW_INSECURE_SERVICE=true");
  }
  return base;
}

/**
 * Talks to the service over kept-alive connections: undici's own `request` carries 14 times what `fetch` does (MEASURED).
 * The key stands in an URL here and nowhere else: no error, log line or answer of this module contains it. Redirects are
 * not followed: they would carry the key to another host.
 */
export function createTransport(options: TransportOptions): Transport {
  const base = checked(options);
  const prefix = base.pathname.replace(/\/+$/, "");
  // The whole call has one deadline of its own: these two begin anew with every byte.
  const common = { allowH2: false, connect: { timeout: CONNECT_MS }, headersTimeout: 0, bodyTimeout: 0 };
  const kept = new Agent({ ...common, connections: options.connections ?? 64, pipelining: 1 });
  const clock = options.clock ?? realClock;
  const usual = createDeadlines(clock, TOTAL_MS);

  /** The only place where a key meets an address. The key may contain any character. */
  function pathOf({ path, query, auth }: Call, key: Key): string {
    if (query === undefined) return prefix + path + (auth === "query" ? key.search : "");
    const params = new URLSearchParams(query);
    if (auth === "query") params.set("apiKey", key.text);
    return `${prefix}${path}?${params.toString()}`;
  }

  /** What is made of a key, until another one takes its place. */
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

  /** Sets a deadline for a call; most calls have the same. */
  const setDeadline = (ms: number | undefined, due: () => void): (() => void) =>
    ms === undefined ? usual(due) : clock.after(ms, due);

  return {
    async call(call) {
      const key = keyOf(options.key());
      const agent = call.fresh ? new Agent({ ...common, pipelining: 0 }) : kept;
      try {
        return await exchange(agent, optionsOf(call, key), key, (due) => setDeadline(call.timeout, due));
      } finally {
        if (agent !== kept) await agent.destroy();
      }
    },
    close: () => kept.destroy(),
  };
}

/** A key with what is made of it once: the query that carries it, and what hides it. */
type Key = { text: string; search: string; hide: (text: string) => string };

/** Only the code: messages and causes may carry the address, and with it the key. */
const reasonOf = (error: unknown): string => {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === "string" ? code : "unknown";
};

/**
 * One request and its answer, on undici's own callbacks: promises, streams and signals cost more than the exchange.
 * `onRequestStart` tells when the request has a connection and is about to be written. Error codes cannot tell: a route
 * may go away before or after that, and TLS fails in dozens of ways.
 * @param deadline sets the call's deadline; its result takes it back
 */
function exchange(
  agent: Dispatcher,
  options: Dispatcher.DispatchOptions,
  key: Key,
  deadline: (due: () => void) => () => void,
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
        // Given up while it waited for a connection: nothing of it is written any more.
        if (settled) started.abort(new Error("too late"));
        else written = true;
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

function answerOf(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  text: string,
  { hide }: Key,
): Answer {
  const shown = hide(text);
  // Without an escape in it, every value stands in the text as it is.
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

/** No proxy should compress what did not ask for it; some do. */
function decompressed(bytes: Buffer, encoding: string): Buffer {
  const options = { maxOutputLength: ANSWER_MAX };
  if (/gzip/i.test(encoding)) return gunzipSync(bytes, options);
  return /\bbr\b/i.test(encoding) ? brotliDecompressSync(bytes, options) : bytes;
}

function textOf(parts: readonly Buffer[], headers: Record<string, string | string[] | undefined>): string {
  try {
    const bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
    const encoding = headers["content-encoding"];
    return (encoding === undefined ? bytes : decompressed(bytes, String(encoding))).toString();
  } catch {
    return "";
  }
}

/** The key is hidden in the values too: JSON has many ways to spell a character. */
function parsed(text: string, hide: ((text: string) => string) | undefined): unknown {
  try {
    if (hide === undefined) return JSON.parse(text);
    return JSON.parse(text, (_, value: unknown) => (typeof value === "string" ? hide(value) : value));
  } catch {
    return undefined;
  }
}
