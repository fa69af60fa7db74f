import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Agent, type Dispatcher } from "undici";

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
};

const CONNECT_MS = 5_000;
const TOTAL_MS = 15_000;
/** Bytes of an answer that are read; none of ours is longer. */
const ANSWER_MAX = 256 * 1024;

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** @throws Error when the address would send the key in the clear to another machine */
function checked({ baseUrl, allowInsecure = false }: TransportOptions): URL {
  // The error of `new URL` quotes the address, and somebody may have pasted one with a key in it.
  if (!URL.canParse(baseUrl)) throw new Error("SERVICE_URL: not an address");
  const base = new URL(baseUrl);
  if (base.protocol === "http:" && !allowInsecure && !LOOPBACK.test(base.hostname)) {
    throw new Error(
      "SERVICE_URL: plain http would send the key in the clear; use https, or set ALLOW_INSECURE_SERVICE=true",
    );
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

  /** The only place where a key meets an address. The key may contain any character. */
  function pathOf({ path, query = {}, auth }: Call, key: string): string {
    const params = new URLSearchParams(query);
    if (auth === "query") params.set("apiKey", key);
    const search = params.toString();
    return search === "" ? prefix + path : `${prefix}${path}?${search}`;
  }

  async function request(agent: Dispatcher, call: Call, key: string, signal: AbortSignal): Promise<Answer> {
    const { statusCode, headers, body } = await agent.request({
      origin: base.origin,
      path: pathOf(call, key),
      method: call.method,
      signal,
      headers: {
        accept: "application/json",
        "user-agent": "porchlight",
        ...(call.body === undefined ? {} : { "content-type": "application/json" }),
        ...(call.auth === "header" ? { "x-api-key": key } : {}),
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    });
    const text = await textOf(body, headers);
    const hide = redactor(key);
    return { phase: "answered", status: statusCode, headers, text: hide(text), json: parsed(text, hide) };
  }

  return {
    async call(call) {
      const key = options.key();
      const agent = call.fresh ? new Agent({ ...common, pipelining: 0 }) : kept;
      const signal = AbortSignal.timeout(call.timeout ?? TOTAL_MS);
      let written = false;
      try {
        return await request(agent.compose(noticing(() => (written = true))), call, key, signal);
      } catch (error) {
        // Only the code: messages and causes may carry the address, and with it the key.
        const { code } = error as NodeJS.ErrnoException;
        const reason = signal.aborted ? "TIMEOUT" : typeof code === "string" ? code : "unknown";
        return { phase: written ? "unanswered" : "unsent", reason };
      } finally {
        if (agent !== kept) await agent.destroy();
      }
    },
    close: () => kept.destroy(),
  };
}

/**
 * Tells when a request has a connection and is about to be written. Error codes cannot tell: a route may go away before
 * or after that, and TLS fails in dozens of ways.
 */
const noticing =
  (started: () => void): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        started();
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });

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
  return (text) => text.replace(new RegExp(pattern, "gi"), "[redacted]");
}

/** No proxy should compress what did not ask for it; some do. */
function decompressed(bytes: Buffer, encoding: string): Buffer {
  const options = { maxOutputLength: ANSWER_MAX };
  if (/gzip/i.test(encoding)) return gunzipSync(bytes, options);
  return /\bbr\b/i.test(encoding) ? brotliDecompressSync(bytes, options) : bytes;
}

async function textOf(
  body: Dispatcher.ResponseData["body"],
  headers: Record<string, string | string[] | undefined>,
): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    size += part.length;
    parts.push(part);
    if (size > ANSWER_MAX) break;
  }
  try {
    return decompressed(Buffer.concat(parts), String(headers["content-encoding"] ?? "")).toString();
  } catch {
    return "";
  }
}

/** The key is hidden in the values too: JSON has many ways to spell a character. */
function parsed(text: string, hide: (text: string) => string): unknown {
  try {
    return JSON.parse(text, (_, value: unknown) => (typeof value === "string" ? hide(value) : value));
  } catch {
    return undefined;
  }
}
