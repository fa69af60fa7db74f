import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createAdmin } from "../../relay/src/admin/index.ts";
import { createApp, ROUTE_ROWS } from "../../relay/src/app.ts";
import { serverApi } from "../../relay/src/http/api/index.ts";
import { OPERATIONS } from "../../relay/src/http/api/operations.ts";

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
const MIDDLEWARE = ["ALL /socket/lines/*", "ALL /mail/stop/*", "ALL /admin/*"];
/** Routes that `callbackHandler` answers before the framework. */
const BEFORE_FRAMEWORK = ["POST /callbacks/reply/:secret", "POST /callbacks/recharge/:secret"];

it("lists every existing route, and no other, with its caller, size limit and time limit", () => {
  const operations = Object.values(OPERATIONS).map(
    ({ method, path }) => `${method.toUpperCase()} /api/v1${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
  );
  const listed = ROUTE_ROWS.map(({ method, path }) => `${method} ${path}`);
  const found = [...routes(), ...BEFORE_FRAMEWORK].filter(
    (route) => !operations.includes(route) && !MIDDLEWARE.includes(route),
  );
  expect(found.toSorted()).toEqual(listed.filter((route) => route !== "GET /api/v1/*").toSorted());
  for (const { bytes, ms, caller } of ROUTE_ROWS)
    expect([typeof caller, ms > 0, bytes === "UPLOAD_*_MB" || bytes >= 0]).toEqual(["string", true, true]);
});
