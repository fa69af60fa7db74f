import { EventEmitter } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { createAdmin } from "../../relay/src/admin/index.ts";
import { createApp, ROUTE_ROWS, routeOfBody } from "../../relay/src/app.ts";
import { manualClock } from "../../relay/src/base/clock.fixture.ts";
import { serverApi } from "../../relay/src/http/api/index.ts";
import { OPERATIONS } from "../../relay/src/http/api/operations.ts";
import { withDeadline } from "../../relay/src/http/deadline.ts";
import { BODY_MS } from "../../relay/src/http/route-table.ts";
import { createHttpServer } from "../../relay/src/http/server.ts";

/** A stand-in for every part of the relay. Registering the routes uses none of them. */
const parts: unknown = new Proxy(() => undefined, { get: () => parts, has: () => true });
const folder = mkdtempSync(join(tmpdir(), "porchlight-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Every route of the application, as `METHOD path`. */
function routes(): string[] {
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "loader.js"), '"__PORCHLIGHT__"');
  writeFileSync(
    join(folder, "manifest.json"),
    JSON.stringify({ panel: "assets/p.js", snippet: "assets/s.js", words: {} }),
  );
  const given = {
    widget: folder,
    formerBuilds: folder,
    clock: { now: () => 0 },
    log: () => {},
    relay: "",
    api: serverApi(parts as never),
    admin: createAdmin(parts as never, parts as never),
  };
  const app = createApp(new Proxy(given, { get: (known, name) => Reflect.get(known, name) ?? parts }) as never);
  return [...new Set(app.routes.map(({ method, path }) => `${method} ${path}`))];
}

/** Middleware: it reads no body, and runs before the routes below the same path. */
const MIDDLEWARE = ["ALL /socket/lines/*", "ALL /admin/*"];
/** Routes that `callbackHandler` answers before the framework. */
const BEFORE_FRAMEWORK = ["POST /callbacks/reply/:secret", "POST /callbacks/recharge/:secret"];

it("lists every existing route, and no other", () => {
  const operations = Object.values(OPERATIONS).map(
    ({ method, path }) => `${method.toUpperCase()} /api/v1${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
  );
  const listed = ROUTE_ROWS.map(({ method, path }) => `${method} ${path}`);
  const found = [...routes(), ...BEFORE_FRAMEWORK].filter(
    (route) => !operations.includes(route) && !MIDDLEWARE.includes(route),
  );
  expect(found.toSorted()).toEqual(listed.filter((route) => route !== "GET /api/v1/*").toSorted());
});

const UNITS: Record<string, number> = { KiB: 1_024, MiB: 1_024 * 1_024 };

it("states in each row the limits that the relay enforces", () => {
  for (const { limits, bytes, ms } of ROUTE_ROWS) {
    const [size = "", seconds = ""] = limits.split(/, | s$/);
    const [number = "", unit = ""] = size.split(" ");
    expect(unit === "" ? size : size === "no body" ? 0 : Number(number) * (UNITS[unit] ?? 0), limits).toBe(bytes);
    expect(Number(seconds) * 1_000, limits).toBe(ms);
  }
});

it("lets a request take as long as its row says, and headers 10 s", () => {
  const clock = manualClock();
  for (const { method, path, bytes, ms } of ROUTE_ROWS.filter(({ bytes }) => typeof bytes === "number")) {
    const destroy = vi.fn();
    const url = path.replaceAll(/:kind\{\w+\|\w+\}/g, "reply").replaceAll(/:\w+(\{[^}]+\})?/g, "x.js");
    const headers = { "content-length": "5" };
    const request = Object.assign(new EventEmitter(), {
      method: method === "ALL" ? "PUT" : method,
      url,
      headers,
      destroy,
      resume: () => {},
      read: () => null,
      socket: { destroy: () => {} },
    });
    withDeadline(clock, routeOfBody, () => {})(request as never, {} as never);
    // A body that no route reads has the time of a body as well: its connection ends with the answer.
    clock.pass((bytes === 0 ? BODY_MS : ms) - 1);
    expect(destroy, `${method} ${path}`).not.toHaveBeenCalled();
    clock.pass(1);
    expect(destroy, `${method} ${path}`).toHaveBeenCalledOnce();
  }
  const server = createHttpServer(() => {});
  const upload = ROUTE_ROWS.find(({ path, method }) => path === "/media" && method === "POST");
  const without = ROUTE_ROWS.find(({ bytes }) => bytes === 0);
  expect([server.requestTimeout, server.headersTimeout]).toEqual([upload?.ms, without?.ms]);
});
