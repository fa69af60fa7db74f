import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";
import { violationsOf } from "../../contract/interface.ts";
import type { Effect, Posted } from "../judge.ts";

/** How the service behaves at the moment. Shares from 0 to 1. */
export type Behaviour = {
  key: string;
  /** Answers 500 without processing. */
  failing: number;
  /** Processed, but the connection is reset instead of an answer. */
  lost: number;
  /** Processed, but answered this late, in milliseconds. */
  slow: number;
  slowMs: number;
  /** Every connection is reset at once. */
  down: boolean;
  /** Replies to each message. */
  replies: number;
  /** Longest delay of a reply, in milliseconds. 0: it is sent before the message is answered. */
  replyMs: number;
  /** Delay of every answer, in milliseconds, to find several open calls of one visitor. */
  delayMs: number;
  /** Share of the callbacks after which the connection is closed; the others keep it open. */
  closing: number;
};

const DEFAULTS: Behaviour = {
  key: "key+1/=&",
  failing: 0,
  lost: 0,
  slow: 0,
  slowMs: 500,
  down: false,
  replies: 1,
  replyMs: 20,
  delayMs: 0,
  closing: 0,
};

type Message = { messageSid: string; fromId: string; body: string };

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const part of request.setEncoding("utf8")) body += part;
  return body;
}

/** The state of the mock, and its random numbers from 0 to 1. */
type MockState = {
  random: () => number;
  behaviour: Behaviour;
  effects: Effect[];
  posted: Posted[];
  /** Calls per sid: the real POSTs. */
  calls: Map<string, number>;
  violations: string[];
  /** The visitors' calls under way: what each sends, and when it arrived. */
  open: Map<string, { body: string; at: number }>;
  /** Calls refused because of their key. */
  refused: number;
  /** Replies that wait or are being posted. */
  pending: number;
  replies: number;
  /** The relay's address and the path of the callbacks. */
  target: { pool: Pool; path: string } | undefined;
  /** The `messageSid` of every processed message. */
  seen: Set<string>;
};

/**
 * A fast mock of the messaging service for heavy load: it recognises repeats by `messageSid`, fails as configured, and sends
 * one callback per reply. Unlike the sandbox, it implements only a part of the interface.
 */
export async function startMock(random: () => number, given: Partial<Behaviour> = {}) {
  const behaviour: Behaviour = { ...DEFAULTS, ...given };

  const mock: MockState = {
    random,
    behaviour,
    effects: [],
    posted: [],
    calls: new Map<string, number>(),
    violations: [],
    open: new Map<string, { body: string; at: number }>(),
    refused: 0,
    pending: 0,
    replies: 0,
    target: undefined,
    seen: new Set<string>(),
  };

  const server = createServer((request, response) => {
    serve(mock, request, response).catch((error: unknown) => {
      if (!request.socket.destroyed) mock.violations.push(`the service could not read a call: ${String(error)}`);
      response.destroy();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    behaviour,
    effects: mock.effects,
    posted: mock.posted,
    calls: mock.calls,
    violations: mock.violations,
    reply: (about: Pick<Posted, "toId" | "messageId" | "text">, ms?: number) => reply(mock, about, ms),
    post: (body: string, path?: string) => post(mock, body, path),
    /** Number of calls refused because of their key. */
    refused: (): number => mock.refused,
    /** Number of replies that wait or are being posted. */
    pending: (): number => mock.pending,
    callTo(origin: string, path: string): void {
      void mock.target?.pool.close();
      mock.target = { pool: new Pool(origin, { connections: 32, pipelining: 1 }), path };
    },
    async close(): Promise<void> {
      await mock.target?.pool.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const chance = (mock: MockState, share: number): boolean => share > 0 && mock.random() < share;

async function serve(mock: MockState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "", "http://service");
  const body = await bodyOf(request);
  const { method = "", headers } = request;
  const wrong = violationsOf({ method, target: request.url ?? "", headers, body: Buffer.from(body) });
  mock.violations.push(...wrong.map((line) => `against the interface: ${line}`));
  const { customData } = JSON.parse(body) as { customData: Message };
  if (mock.behaviour.down) return void request.socket.destroy();
  if (url.searchParams.get("apiKey") !== mock.behaviour.key) {
    mock.refused++;
    return answer(response, 401, { error: "Unauthorized" });
  }
  // The call of a killed process may still be open. A call with a live client must be the visitor's only one.
  const other = mock.open.get(customData.fromId);
  const own = { body: customData.body, at: performance.now() };
  if (other !== undefined && !request.socket.destroyed)
    mock.violations.push(
      `two in flight: "${own.body}" did not wait for "${other.body}", which arrived ${Math.round(own.at - other.at)} ms before`,
    );
  mock.open.set(customData.fromId, own);
  response.once("close", () => mock.open.get(customData.fromId) === own && mock.open.delete(customData.fromId));
  mock.calls.set(customData.messageSid, (mock.calls.get(customData.messageSid) ?? 0) + 1);
  if (mock.behaviour.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, mock.behaviour.delayMs));
  if (customData.body.includes("poison")) return answer(response, 400, { error: "Bad request" });
  if (chance(mock, mock.behaviour.failing)) return answer(response, 500, { error: "Internal error" });
  const early = process(mock, customData);
  if (mock.behaviour.replyMs === 0) await Promise.all(early);
  if (chance(mock, mock.behaviour.lost)) return void request.socket.destroy();
  if (chance(mock, mock.behaviour.slow)) await new Promise((resolve) => setTimeout(resolve, mock.behaviour.slowMs));
  answer(response, 200, { success: true, messageId: customData.messageSid });
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

function process(mock: MockState, { messageSid, fromId, body }: Message): Promise<void>[] {
  if (mock.seen.has(messageSid)) return [];
  mock.seen.add(messageSid);
  mock.effects.push({ sid: messageSid, fromId, text: body, at: performance.now() });
  return Array.from({ length: mock.behaviour.replies }, () => {
    const number = mock.replies++;
    return reply(
      mock,
      { toId: fromId, messageId: `m${number}`, text: `reply ${number} to ${body}` },
      mock.behaviour.replyMs,
    );
  });
}

/** Posts a reply once, within `ms`, and records the answer. */
async function reply(mock: MockState, about: Pick<Posted, "toId" | "messageId" | "text">, ms = 0): Promise<void> {
  mock.pending++;
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, mock.random() * ms));
  const entry: Posted = { ...about, forged: false, begun: performance.now(), taken: undefined, status: undefined };
  mock.posted.push(entry);
  const { toId, messageId, text } = about;
  const body = { contactId: "c", messageId, userId: "owner", body: text, toId, channel: "website" };
  entry.status = await post(mock, JSON.stringify(body));
  if (entry.status === 200) entry.taken = performance.now();
  mock.pending--;
}

/** Posts any body to the callback address. Resolves to the status; undefined without an answer. */
async function post(mock: MockState, body: string, path = mock.target?.path): Promise<number | undefined> {
  if (mock.target === undefined || path === undefined) return undefined;
  try {
    const headers = { "content-type": "application/json" };
    const reset = mock.behaviour.closing > 0 && mock.random() < mock.behaviour.closing;
    const answer = await mock.target.pool.request({ method: "POST", path, headers, body, reset });
    await answer.body.dump();
    return answer.statusCode;
  } catch {
    return undefined;
  }
}

export type Mock = Awaited<ReturnType<typeof startMock>>;
