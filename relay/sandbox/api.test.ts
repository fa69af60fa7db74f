import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { setUp } from "./sandbox.fixture.ts";

const INCOMING = "/incoming_custom_channel_message";
const ENDPOINTS = [
  { method: "POST", path: "/contacts", allow: "GET, POST" },
  { method: "GET", path: "/contacts", allow: "GET, POST" },
  { method: "POST", path: "/lists/leads/contacts", allow: "POST" },
  { method: "POST", path: "/send_custom_channel_message", allow: "POST" },
  { method: "POST", path: INCOMING, allow: "POST" },
  { method: "POST", path: "/subaccounts/credits", allow: "POST" },
];

/** String shape on incoming, general shape elsewhere. */
const error = (path: string, code: string) =>
  path === INCOMING ? { error: expect.any(String) } : { error: { code, message: expect.any(String) } };

describe("every API request (BEHAVIOUR 4.2)", () => {
  it("answers an unknown path with 404 in the general shape", async () => {
    const { call } = await setUp();
    for (const path of ["", "/", "/nothing", "/contacts/", "/lists//contacts", "/lists/a/b/contacts", "/Contacts"]) {
      const { status, body } = await call("POST", path, { body: {} });
      expect({ path, status, body }).toEqual({ path, status: 404, body: error(path, "NOT_FOUND") });
    }
  });

  it.each(ENDPOINTS)("R-411 answers another method on $path with 405 and Allow: $allow", async ({ path, allow }) => {
    const { call } = await setUp();
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const { status, body, headers } = await call(method, path);
      expect({ status, body, allow: headers.get("allow") }).toEqual({
        status: 405,
        body: error(path, "METHOD_NOT_ALLOWED"),
        allow,
      });
    }
  });

  it("R-411 answers GET on incoming with 405 even without a key", async () => {
    const { call } = await setUp();
    const { status, body } = await call("GET", INCOMING, { key: null });
    expect({ status, body }).toEqual({ status: 405, body: { error: "Method not allowed" } });
  });

  it("R-411 answers 404 instead when methodMismatch says so", async () => {
    const { call } = await setUp({ methodMismatch: 404 });
    expect((await call("GET", INCOMING)).status).toBe(404);
  });

  it.each(ENDPOINTS)("R-501 refuses $method $path without or with a wrong key", async ({ method, path }) => {
    const { call, sandbox } = await setUp();
    const body = method === "GET" ? {} : { body: {} };
    for (const key of [null, "", "wrong", sandbox.config.apiKey.replace("+", " ")]) {
      const answer = await call(method, path, { key, ...body });
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 401, body: error(path, "UNAUTHORIZED") });
    }
    expect(sandbox.state().counts.authFailures).toBe(4);
  });

  it("R-502 has a default key that works only when the client percent-encodes it", async () => {
    const { sandbox } = await setUp();
    const { apiKey } = sandbox.config;
    expect(["+", "/", "=", "&"].filter((sign) => !apiKey.includes(sign))).toEqual([]);
    const raw = await fetch(`${sandbox.url}/contacts?apiKey=${apiKey}&email=a@b.example`);
    const encoded = await fetch(`${sandbox.url}/contacts?apiKey=${encodeURIComponent(apiKey)}&email=a@b.example`);
    expect([raw.status, encoded.status]).toEqual([401, 404]);
  });

  it("R-503 invalidates the old key as soon as it is rotated", async () => {
    const { call, sandbox, incoming } = await setUp();
    const old = sandbox.config.apiKey;
    const fresh = sandbox.rotateKey();
    expect(fresh).not.toBe(old);
    expect((await call("GET", "/contacts", { key: old, query: { email: "a@b.example" } })).status).toBe(401);
    expect((await incoming()).status).toBe(200);
  });

  it("R-484 accepts the key in the header only for credits, and in the query only for all other endpoints", async () => {
    const { call, sandbox } = await setUp();
    const key = sandbox.config.apiKey;
    const query = await call("POST", "/subaccounts/credits", { key: null, query: { apiKey: key }, body: {} });
    const header = await call("POST", "/contacts", { key: null, headers: { "x-api-key": key }, body: {} });
    expect([query.status, header.status]).toEqual([401, 401]);
    // The right header does not excuse a key in the address.
    const leaking = { query: { apiKey: key }, headers: { "x-api-key": key } };
    expect((await call("POST", "/subaccounts/credits", { ...leaking, body: {} })).body).toMatchObject({
      error: { message: "Unknown field apiKey" },
    });
    sandbox.configure({ acceptEitherAuth: true });
    const both = [
      await call("POST", "/subaccounts/credits", { key: null, query: { apiKey: key }, body: {} }),
      await call("POST", "/contacts", { key: null, headers: { "x-api-key": key }, body: {} }),
    ];
    expect(both.map(({ status }) => status)).toEqual([400, 400]);
  });

  it.each(ENDPOINTS.filter(({ method }) => method === "POST"))(
    "R-004 R-005 refuses a body that is not a JSON object on $path",
    async ({ path }) => {
      const { call } = await setUp();
      const wrong = [
        { text: "{" },
        { text: "[]" },
        { text: "null" },
        { text: '"text"' },
        { text: "" },
        { text: "{}", headers: { "Content-Type": "text/plain" } },
        { text: "customData=1", headers: { "Content-Type": "application/x-www-form-urlencoded" } },
      ];
      for (const ask of wrong) {
        const { status, body } = await call("POST", path, ask);
        expect({ ask, status, body }).toEqual({ ask, status: 400, body: error(path, "VALIDATION") });
      }
    },
  );

  it("R-004 accepts form encoding when acceptForm is on", async () => {
    const { call } = await setUp({ acceptForm: true });
    const text = new URLSearchParams({
      "customData[messageSid]": "form-1",
      "customData[fromId]": "v_form",
      "customData[toId]": "shop",
      "customData[body]": "by form",
    }).toString();
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    expect((await call("POST", INCOMING, { text, headers })).status).toBe(200);
  });

  it("R-008 refuses unknown fields, and ignores them when the option says so", async () => {
    const { incoming, call, sandbox } = await setUp();
    expect((await incoming({ surprise: 1 })).body).toEqual({ error: "Unknown field surprise" });
    expect((await call("POST", "/contacts", { body: { email: "a@b.example", age: 3 } })).status).toBe(400);
    const paged = { query: { email: "a@b.example", limit: "1" } };
    expect(await call("GET", "/contacts", paged)).toMatchObject({
      status: 400,
      body: { error: { message: "Unknown field limit" } },
    });
    sandbox.configure({ rejectUnknownFields: false });
    expect((await call("GET", "/contacts", paged)).status).toBe(404);
    expect((await incoming({ surprise: 1 }, { also: 2 })).status).toBe(200);
    expect((await call("POST", "/contacts", { body: { email: "a@b.example", age: 3 } })).status).toBe(201);
  });

  it("R-010 refuses a number in place of a string, and accepts it when coerceTypes is on", async () => {
    const { incoming, sandbox } = await setUp();
    expect((await incoming({ fromId: 7 })).status).toBe(400);
    expect((await incoming({ body: 7 })).status).toBe(400);
    sandbox.configure({ coerceTypes: true });
    expect((await incoming({ fromId: 7, body: 8 })).status).toBe(200);
    expect(sandbox.messages("7")).toMatchObject([{ body: "8" }]);
  });

  it("R-013 checks route, method, key, rate, JSON and fields in this order", async () => {
    const { call, sandbox } = await setUp({ rateLimit: 1 });
    const bad = { text: "{" };
    expect((await call("PUT", "/nothing", { key: null, ...bad })).status).toBe(404);
    expect((await call("PUT", INCOMING, { key: null, ...bad })).status).toBe(405);
    expect((await call("POST", INCOMING, { key: null, ...bad })).status).toBe(401);
    expect((await call("POST", INCOMING, bad)).status).toBe(400);
    expect((await call("POST", INCOMING, bad)).status).toBe(429);
    sandbox.failNext("incoming", 1, 503);
    expect((await call("POST", INCOMING, { key: null, ...bad })).status).toBe(503);
  });

  it("R-014 sends no CORS header, so browsers cannot call it", async () => {
    const { incoming, call } = await setUp();
    const preflight = await call("OPTIONS", INCOMING, { headers: { "Access-Control-Request-Method": "POST" } });
    for (const { headers } of [await incoming(), preflight]) {
      expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });

  it("R-002 accepts plain HTTP on this machine, and refuses it when requireHttps is on", async () => {
    const { call, incoming, sandbox } = await setUp({ requireHttps: true });
    const find = (headers = {}) => call("GET", "/contacts", { query: { email: "a@b.example" }, headers });
    expect((await find()).body).toMatchObject({ error: { code: "HTTPS_REQUIRED" } });
    expect((await incoming()).body).toEqual({ error: "HTTPS is required" });
    expect((await find({ "X-Forwarded-Proto": "https" })).status).toBe(404);
    sandbox.configure({ httpsRejection: 403 });
    expect((await find()).status).toBe(403);
    sandbox.configure({ httpsRejection: "close" });
    await expect(find()).rejects.toThrow();
  });

  it("R-003 redirects one request when redirectOnce is set", async () => {
    const { call, sandbox } = await setUp({ redirectOnce: "https://elsewhere.example/v1/contacts" });
    const find = () => call("GET", "/contacts", { query: { email: "a@b.example" } });
    const first = await find();
    expect([first.status, first.headers.get("location")]).toEqual([307, "https://elsewhere.example/v1/contacts"]);
    expect((await find()).status).toBe(404);
    expect(sandbox.config.redirectOnce).toBe("");
  });

  it("R-001 serves under basePath", async () => {
    const { sandbox, incoming } = await setUp({ basePath: "/api/v2" });
    expect(sandbox.url.endsWith("/api/v2")).toBe(true);
    expect((await incoming()).status).toBe(200);
    expect((await fetch(`${sandbox.origin}/v1/contacts`)).status).toBe(404);
  });

  it("answers success with JSON and records the request with a masked key (R-504)", async () => {
    const { incoming, sandbox, call } = await setUp();
    const { headers } = await incoming({ messageSid: "kept" });
    expect(headers.get("content-type")).toBe("application/json");
    await call("POST", "/subaccounts/credits", { body: {} });
    const [first] = sandbox.requests();
    expect(first).toMatchObject({
      route: "incoming",
      method: "POST",
      path: `/v1${INCOMING}?apiKey=***`,
      status: 200,
      body: { customData: { messageSid: "kept" } },
    });
    const { apiKey } = sandbox.config;
    const seen = JSON.stringify([sandbox.requests(), sandbox.callbacks(), sandbox.state()]);
    expect(
      [apiKey, encodeURIComponent(apiKey), sandbox.config.userId].filter((secret) => seen.includes(secret)),
    ).toEqual([]);
  });

  it("R-501 writes errors in the shape that errorShape names", async () => {
    const { incoming, call, sandbox } = await setUp({ errorShape: "general" });
    const bad = () => incoming({ toId: "" });
    const missing = () => call("GET", "/contacts", { query: { email: "a@b.example" } });
    expect((await bad()).body).toEqual({ error: { code: "VALIDATION", message: "toId is required" } });
    sandbox.configure({ errorShape: "string" });
    expect((await missing()).body).toEqual({ error: "Contact not found" });
    sandbox.configure({ errorShape: "plain" });
    expect((await missing()).body).toBe("Contact not found");
  });

  it("R-006 writes errors as text, HTML or nothing when errorBody says so", async () => {
    const { incoming, sandbox } = await setUp();
    const bad = async () => {
      const { status, text, headers } = await incoming({ toId: "" });
      return { status, text, type: headers.get("content-type") };
    };
    sandbox.configure({ errorBody: "string" });
    expect(await bad()).toEqual({ status: 400, text: "toId is required", type: "text/plain; charset=utf-8" });
    sandbox.configure({ errorBody: "html" });
    expect(await bad()).toEqual({
      status: 400,
      text: expect.stringContaining("<html>"),
      type: "text/html; charset=utf-8",
    });
    sandbox.configure({ errorBody: "empty" });
    expect(await bad()).toEqual({ status: 400, text: "", type: null });
  });

  it("R-007 hides errors in a 200 when soft200Errors is on, except errors of the key", async () => {
    const { incoming, call } = await setUp({ soft200Errors: true });
    const soft = await incoming({ toId: "" });
    expect(soft.status).toBe(200);
    expect(soft.body).toEqual({ success: false, error_code: 400, message: "toId is required" });
    expect((await call("GET", "/contacts", { key: "wrong" })).status).toBe(401);
  });

  it("R-009 adds and omits fields of successful answers, and turns ids into numbers", async () => {
    const { incoming, client, sandbox } = await setUp({ numericIds: true, responseExtras: { trace: "t1" } });
    expect((await incoming()).body).toEqual({ success: true, messageId: expect.any(Number), trace: "t1" });
    await sandbox.until(() => client.received.length === 1);
    expect(client.bodies()[0]).toMatchObject({ messageId: expect.any(Number), contactId: expect.any(Number) });
    sandbox.configure({ responseOmit: ["messageId"], responseExtras: {} });
    expect((await incoming()).body).toEqual({ success: true });
  });

  it("R-241 refuses a request larger than maxRequestBytes with 413 or 400, with or without a length header", async () => {
    const { incoming, sandbox, call } = await setUp({ maxRequestBytes: 2_000 });
    const large = { body: "x".repeat(3_000) };
    const { status, body } = await incoming(large);
    expect({ status, body }).toEqual({ status: 413, body: { error: expect.any(String) } });
    sandbox.configure({ oversizeStatus: 400 });
    expect((await incoming(large)).status).toBe(400);
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(JSON.stringify(large)));
        controller.close();
      },
    });
    const url = `${sandbox.url}${INCOMING}?apiKey=${encodeURIComponent(sandbox.config.apiKey)}`;
    const init: RequestInit & { duplex: "half" } = { method: "POST", body: stream, duplex: "half" };
    const chunked = await fetch(url, { ...init, headers: { "Content-Type": "application/json" } });
    expect(chunked.status).toBe(400);
    expect((await call("POST", "/contacts", { body: { email: "a@b.example" } })).status).toBe(201);
  });

  it("survives clients that disconnect during a request, and bytes that are not HTTP", async () => {
    const { sandbox, incoming } = await setUp();
    const { hostname, port } = new URL(sandbox.origin);
    const path = `/v1${INCOMING}?apiKey=${encodeURIComponent(sandbox.config.apiKey)}`;
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"cust`;
    for (const bytes of [head, "\u0000\u0001 nonsense\r\n\r\n"]) {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => {});
      await new Promise((resolve) => socket.write(bytes, resolve));
      socket.resetAndDestroy();
    }
    await sandbox.until(() => sandbox.requests().some(({ status }) => status === 0));
    expect((await incoming()).status).toBe(200);
    expect(sandbox.messages()).toHaveLength(1);
  });
});
