/** For the sandbox's tests: a sandbox, a client that receives its callbacks, and calls over HTTP. */

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { SandboxConfig } from "./options.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "./server.ts";

export type Received = { method: string; path: string; headers: IncomingHttpHeaders; text: string };
export type ClientAnswer = { status: number; body?: string; headers?: Record<string, string> };

export type Client = {
  url: string;
  received: Received[];
  /** The received JSON bodies. */
  bodies(): Record<string, unknown>[];
  /** The answer; a promise delays it. */
  answer: (request: Received) => ClientAnswer | Promise<ClientAnswer>;
};

export type Ask = {
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  text?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** null sends no key. */
  key?: string | null;
};

export type Reply = { status: number; headers: Headers; text: string; body: unknown };

/** A client that accepts callbacks, as the relay does. */
export async function startClient(): Promise<Client> {
  const client: Client = {
    url: "",
    received: [],
    bodies: () => client.received.map(({ text }) => JSON.parse(text) as Record<string, unknown>),
    answer: () => ({ status: 200, body: '{"success":true}' }),
  };
  const server = createServer(async (req, res) => {
    let text = "";
    for await (const chunk of req) text += chunk;
    const request = { method: req.method ?? "", path: req.url ?? "", headers: req.headers, text };
    client.received.push(request);
    const { status, body = "", headers = {} } = await client.answer(request);
    res.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  client.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks/reply/s3cret`;
  return client;
}

export type Bench = {
  sandbox: Sandbox;
  client: Client;
  /** Calls the interface with the right key, unless `key` says otherwise. */
  call(method: string, path: string, ask?: Ask): Promise<Reply>;
  /** Sends an incoming message: a valid text message of `v_ada`, with these fields replaced. */
  incoming(data?: Record<string, unknown>, outer?: Record<string, unknown>): Promise<Reply>;
  /** Calls the control API. */
  control(method: string, path: string, body?: unknown): Promise<Reply>;
};

let serial = 0;

/** A new messageSid, unique in this run. */
export const newSid = (): string => `sid-${++serial}`;

async function fetched(url: string, init: RequestInit): Promise<Reply> {
  const answer = await fetch(url, { redirect: "manual", ...init });
  const text = await answer.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return { status: answer.status, headers: answer.headers, text, body };
}

const isCredits = (path: string) => path === "/subaccounts/credits";

function caller(sandbox: Sandbox): Bench["call"] {
  return (method, path, { body, text, query = {}, headers = {}, key = sandbox.config.apiKey } = {}) => {
    const parameters = new URLSearchParams(query);
    const keyHeader: Record<string, string> = key !== null && isCredits(path) ? { "x-api-key": key } : {};
    if (key !== null && !isCredits(path)) parameters.set("apiKey", key);
    const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const type: Record<string, string> = payload === undefined ? {} : { "Content-Type": "application/json" };
    const init = { method, headers: { ...type, ...keyHeader, ...headers } };
    const search = parameters.size > 0 ? `?${parameters}` : "";
    const url = `${sandbox.url}${path}${search}`;
    return fetched(url, payload === undefined ? init : { ...init, body: payload });
  };
}

/** Starts a sandbox and a client for its callbacks; both end with the test. */
export async function setUp(config: Partial<SandboxConfig> = {}, options: SandboxOptions = {}): Promise<Bench> {
  const client = await startClient();
  const sandbox = await startSandbox({
    ...options,
    config: { rateLimit: 0, callbackUrl: client.url, seed: 1, ...config },
  });
  onTestFinished(() => sandbox.close());
  const call = caller(sandbox);
  const valid = () => ({ messageSid: newSid(), fromId: "v_ada", toId: "shop", body: "hello" });
  return {
    sandbox,
    client,
    call,
    incoming: (data = {}, outer = {}) =>
      call("POST", "/incoming_custom_channel_message", { body: { customData: { ...valid(), ...data }, ...outer } }),
    control: (method, path, body) => {
      const headers = { "Content-Type": "application/json" };
      const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
      return fetched(`${sandbox.origin}/__sandbox${path}`, init);
    },
  };
}
