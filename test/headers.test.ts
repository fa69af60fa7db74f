import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROUTE_ROWS } from "../relay/src/app.ts";
import { PNG } from "../relay/src/files/samples.fixture.ts";
import { OPERATIONS } from "../relay/src/http/api/operations.ts";
import { type Harness, startHarness } from "./harness.ts";
import { tokenFor } from "./tokens.ts";
import { upload } from "./uploads.ts";

let harness: Harness;
let token = "";
/** Values for the parameters of a route, so that it returns data. */
let values: Record<string, string>;

beforeAll(async () => {
  harness = await startHarness();
  const visitor = harness.visitor();
  await visitor.greet();
  token = await tokenFor(harness);
  const { answer } = await upload(harness, visitor, PNG);
  values = {
    "/w/:file{.+\\.js}": "/w/default.js",
    "/v/:file{.+\\.json}": "/v/default.json",
    "/media/:file": answer.url,
    "/c/:site": "/c/default",
    "/c/:site/snippet": "/c/default/snippet",
    "/callbacks/:kind{reply|recharge}/:secret": new URL(harness.callbackUrl).pathname,
    "/callbacks/reply/:secret": new URL(harness.callbackUrl).pathname,
    "/callbacks/recharge/:secret": new URL(harness.callbackUrl).pathname.replace("reply", "recharge"),
    visitor: harness.sandbox.messages()[0]?.fromId ?? "",
  };
});
afterAll(() => harness.stop());

/** Addresses whose answers contain no personal data and set their own cache headers. */
const PUBLIC = /^\/(widget\.js|[vw]\/|assets\/|c\/|admin\/(style\.css|live\.js|page\.js)$)/;

type Call = { method: string; path: string; headers?: Record<string, string> };

/** Every route and every operation of the API, with and without a token, and unknown addresses. */
function everything(): Call[] {
  const routes = ROUTE_ROWS.map(({ method, path }) => ({
    method: method === "ALL" ? "PUT" : method,
    path: values[path] ?? path.replace(/:\w+/, "none"),
  }));
  const calls = Object.values(OPERATIONS).map(({ method, path }) => ({
    method: method.toUpperCase(),
    path: `/api/v1${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "none")}`,
  }));
  const isLast = ({ method }: Call): number => Number(method === "DELETE");
  const known = calls
    .map((call) => ({ ...call, headers: { Authorization: `Bearer ${token}` } }))
    .toSorted((one, other) => isLast(one) - isLast(other));
  return [...routes, ...calls, ...known, { method: "GET", path: "/nowhere" }, { method: "GET", path: "/api/v1/none" }];
}

it("sends no-store and nosniff with every answer of every route that may contain personal data", async () => {
  const wrong: string[] = [];
  let read = 0;
  for (const { method, path, headers } of everything()) {
    const body = method === "GET" || method === "OPTIONS" ? {} : { body: "{}" };
    const signal = AbortSignal.timeout(60_000);
    const given = { Origin: harness.host, "Idempotency-Key": `key-${path}`, ...headers };
    const response = await fetch(harness.url + path, { method, headers: given, signal, ...body });
    if (response.status === 200 || response.status === 202) read++;
    await response.body?.cancel();
    const says = `${response.headers.get("cache-control")}, ${response.headers.get("x-content-type-options")}`;
    const fits = PUBLIC.test(path) ? /, nosniff$/ : /^no-store\b.*, nosniff$/;
    if (!fits.test(says)) wrong.push(`${method} ${path}: ${response.status}, ${says}`);
  }
  expect(wrong).toEqual([]);
  expect(read).toBeGreaterThan(15);
});

it("does not use the Host header in its pages without a PUBLIC_URL", async () => {
  const shown: string[] = [];
  for (const path of [
    "/api",
    "/openapi.json",
    "/c/default",
    "/c/default/snippet",
    "/widget.js",
    "/w/default.js",
    "/no",
  ])
    for (const header of ["Host", "X-Forwarded-Host", "Forwarded"]) {
      const text = await textOf(path, { [header]: header === "Forwarded" ? "host=evil.example" : "evil.example" });
      if (text.includes("evil.example")) shown.push(`${path} by ${header}`);
    }
  expect(shown).toEqual([]);
});

it("cuts off clients while their incomplete headers together take more than 8 MB (A24)", async () => {
  const CLIENTS = 640;
  let closed = 0;
  const port = Number(new URL(harness.url).port);
  const sockets = Array.from({ length: CLIENTS }, () => connect(port, "127.0.0.1"));
  for (const socket of sockets) {
    socket.on("error", () => {}).once("close", () => closed++);
    socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${"x".repeat(15_000)}`);
  }
  await expect.poll(() => closed).toBeGreaterThan(50);
  expect(closed, "the others wait for their deadline").toBeLessThan(CLIENTS / 2);
  for (const socket of sockets) socket.destroy();
});

/** Headers and body of an answer. `fetch` would set its own Host header. */
function textOf(path: string, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    request(harness.url + path, { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => resolve(JSON.stringify(response.headers) + Buffer.concat(parts).toString()));
    })
      .on("error", reject)
      .end();
  });
}
