import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { RelayError } from "../base/errors.ts";
import { silentLog } from "../base/log.ts";
import { type CallbackDeps, callbackHandler, callbacks } from "./callbacks.ts";

const SECRET = "s".repeat(40);
const REPLY = JSON.stringify({ toId: "v_1", messageId: "m1", channel: "website", body: "hello" });
let server: Server;
let url: string;
/** What each call reported to the limit on guesses. */
let guesses: { address: string; right: boolean }[];
/** Resolves when the limit on guesses has decided. */
let decided: Promise<void>;
/** The requests that came. */
let requests: IncomingMessage[];
/** Whether the limit on guesses accepts a call with the right secret, and whether callbacks may come from this address. */
let [accepts, allowed]: [boolean, boolean] = [true, true];
let received: number;

beforeEach(async () => {
  [guesses, accepts, allowed, received] = [[], true, true, 0];
  [decided, requests] = [Promise.resolve(), []];
  const deps = {
    secrets: () => [SECRET],
    from: { address: () => "192.0.2.1", allowed: () => allowed },
    guesses: {
      async accepts(address: string, right: boolean) {
        guesses.push({ address, right });
        await decided;
        return accepts && right;
      },
    },
    log: silentLog,
    clock: manualClock(),
    receive: {
      async receive() {
        received++;
        return "stored";
      },
      answered() {},
    },
    recharges: { receive: async () => received++ },
    creditAccounts: () => [],
    unknownContact: 404,
    forward: undefined,
    hide() {},
    seen() {},
  } as unknown as CallbackDeps;
  const app = new Hono().route("/", callbacks(deps) as unknown as Hono);
  app.notFound((c) => c.text("no such page", 404));
  app.onError((error, c) => c.text(String(error), error instanceof RelayError ? (error.status as 400) : 500));
  const [take, listen] = [callbackHandler(deps), getRequestListener(app.fetch)];
  server = createServer((incoming, outgoing) => {
    requests.push(incoming);
    if (!take(incoming, outgoing)) void listen(incoming, outgoing);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => void server.close().closeAllConnections());

async function call(method: string, secret: string, kind = "reply"): Promise<string> {
  const body = method === "POST" ? { body: REPLY } : {};
  const answer = await fetch(`${url}/callbacks/${kind}/${secret}`, { method, ...body });
  return `${answer.status} ${await answer.text()}`;
}
const UNKNOWN = "404 no such page";

describe("the address of callbacks (A3)", () => {
  it("accepts a reply under the right secret", async () => {
    expect(await call("POST", SECRET)).toBe('200 {"success":true}');
    expect(await call("GET", SECRET)).toBe("200 ok");
    expect(received).toBe(1);
  });

  it("is answered like an unknown page under a wrong secret, whatever the method", async () => {
    for (const secret of ["x", SECRET.slice(1), `${SECRET}s`, "%73".repeat(39), "%E0%A4%A"])
      for (const method of ["POST", "GET", "PUT"]) expect(await call(method, secret), secret).toBe(UNKNOWN);
    expect(await call("POST", "x", "recharge")).toBe(UNKNOWN);
    expect(received).toBe(0);
  });

  it("from an address that may not send callbacks is answered like an unknown page, even under the right secret", async () => {
    allowed = false;
    expect(await call("POST", SECRET)).toBe(UNKNOWN);
    expect(received).toBe(0);
  });

  it("counts every call against the limit on guesses, with its address and whether the secret was right", async () => {
    await call("POST", "x");
    await call("GET", SECRET);
    await call("POST", SECRET);
    expect(guesses).toEqual([false, true, true].map((right) => ({ address: "192.0.2.1", right })));
  });

  it("does not keep the body of a call with a wrong secret while it waits (A24)", async () => {
    let decide = (): void => {};
    decided = new Promise((resolve) => {
      decide = resolve;
    });
    const answer = fetch(`${url}/callbacks/reply/x`, { method: "POST", body: "x".repeat(300_000) });
    await expect.poll(() => requests[0]?.complete).toBe(true);
    expect(requests[0]?.readableLength).toBe(0);
    decide();
    expect((await answer).status).toBe(404);
  });

  it("refuses the right secret too while guesses from its address fill the queue", async () => {
    accepts = false;
    expect(await call("GET", SECRET)).toBe(UNKNOWN);
    expect(await call("POST", SECRET)).toMatch(/^404 /);
    expect(received).toBe(0);
  });
});
