/** Pages that may not open the chat: their answer, the operator's log, and the limits on them. */

import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { Duplex } from "node:stream";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { ROUTE_ROWS } from "../relay/src/app.ts";
import { type Harness, startHarness } from "./harness.ts";

const FOREIGN = "https://www.elsewhere.example";
const LIMIT = 4;

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ env: { SOCKETS_PER_ADDRESS: String(LIMIT) } });
});
afterAll(() => harness.stop());

async function codeFor(origin: string): Promise<number> {
  const socket = new WebSocket(`${harness.url.replace("http", "ws")}/socket`, { headers: { Origin: origin } });
  const refused = once(socket, "unexpected-response").then(([, answer]) => (answer as IncomingMessage).statusCode);
  const closed = once(socket, "close").then(([code]) => Number(code));
  return (await Promise.race([refused, closed])) ?? 0;
}

/** Sends an upgrade request. @returns its socket when it is granted, else the status */
async function upgrade(origin?: string): Promise<Duplex | number> {
  const handshake = request(`${harness.url}/socket`, {
    headers: {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
      ...(origin !== undefined && { Origin: origin }),
    },
  }).end();
  return Promise.race([
    once(handshake, "upgrade").then(([, socket]) => socket as Duplex),
    once(handshake, "response").then(([answer]) => (answer as IncomingMessage).statusCode ?? 0),
  ]);
}

it("a page of a foreign origin is refused on every transport, and the log names once the setting that allows it", async () => {
  for (let n = 0; n < 3; n++) expect(await codeFor(FOREIGN)).toBe(4403);
  const answer = await fetch(`${harness.url}/socket/lines`, { method: "POST", headers: { Origin: FOREIGN } });
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([403, FOREIGN]);
  expect(await answer.json()).toMatchObject({ code: "origin_not_allowed" });
  const logged = harness.lines().filter((line) => line.includes("origin.refused"));
  expect(logged.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ origin: FOREIGN, msg: expect.stringContaining("ALLOWED_ORIGINS") }),
  ]);
});

it("every route that changes something refuses a foreign page that has no token", async () => {
  const routes = ROUTE_ROWS.filter(({ method }) => method !== "GET" && method !== "OPTIONS");
  expect(routes.length).toBeGreaterThan(12);
  for (const { path, method } of routes) {
    const address = path
      .replace(/:kind\{\w+\|\w+\}/, "reply")
      .replaceAll(/:\w+/g, "none")
      .replace("*", "messages");
    const headers = { Origin: FOREIGN, "Sec-Fetch-Site": "cross-site", "Content-Type": "text/plain" };
    const answer = await fetch(harness.url + address, {
      method: method === "ALL" ? "POST" : method,
      redirect: "manual",
      headers,
      body: "{}",
    });
    await answer.body?.cancel();
    const to = answer.headers.get("location") ?? "";
    expect(`${path}: ${answer.status} ${to}`).toMatch(/: (401|403|404|410) $|^\/admin\/.*: 303 \/admin\/login$/);
  }
});

it("a program without an Origin header is refused before a connection is opened", async () => {
  expect(await upgrade()).toBe(403);
});

it("refused clients count among their address's connections until they disconnect", async () => {
  const held: Duplex[] = [];
  for (;;) {
    const one = await upgrade(FOREIGN);
    if (typeof one !== "number") held.push(one);
    else break;
  }
  expect(held.length).toBeLessThanOrEqual(LIMIT);
  expect(await upgrade(harness.host)).toBe(429);
  // A client that does not answer the close frame is cut off.
  await Promise.all(held.map((socket) => once(socket.resume(), "close")));
  await expect.poll(() => codeFor(FOREIGN)).toBe(4403);
});

it("an address that keeps opening and closing chats is refused, although none of them is open", async () => {
  // The limit allows 24 in a minute.
  let accepted = 0;
  for (let n = 0; n < 80; n++) if ((await codeFor(FOREIGN)) !== 429) accepted++;
  expect(accepted).toBeLessThan(60);
});
