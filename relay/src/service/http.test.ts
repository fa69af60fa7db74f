import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createListener, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { verdictOf } from "../records/ledger/grants.ts";
import { createService, type Service } from "./api.ts";
import { createTransport, type Transport, type TransportOptions } from "./http.ts";
import { outcomeOf } from "./outcome.ts";

const KEY = "k+/=& é%2B-0123456789";
const servers: Server[] = [];
const transports: Transport[] = [];
const stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  for (const transport of transports.splice(0)) await transport.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(handler: Handler): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function transport(baseUrl: string, options: Partial<TransportOptions> = {}): Transport {
  const made = createTransport({ baseUrl, key: () => KEY, ...options });
  transports.push(made);
  return made;
}

const POST = { method: "POST", path: "/contacts", auth: "query", body: { email: "a@b.example" } } as const;
const answering = (status: number, body: string, headers: Record<string, string> = {}) =>
  serve((_request, response) => response.writeHead(status, headers).end(body));

/** The outcome of one call to a service at this address. */
async function outcome(url: string, idempotent = true, timeout = 5_000) {
  return outcomeOf(await transport(url).call({ ...POST, timeout }), idempotent, 0);
}

describe("a request", () => {
  it("carries the key percent-encoded in the query, and the headers of the interface (R-004, R-502)", async () => {
    let seen: IncomingMessage | undefined;
    const url = await serve((request, response) => {
      seen = request;
      response.end("{}");
    });
    await transport(`${url}/`).call(POST);
    expect(new URL(seen?.url ?? "", "http://x").searchParams.get("apiKey")).toBe(KEY);
    expect(seen?.url).toMatch(/^\/v1\/contacts\?apiKey=k%2B%2F%3D%26/);
    expect(seen?.headers).toMatchObject({
      "content-type": "application/json",
      accept: "application/json",
      "user-agent": "porchlight",
    });
  });

  it("for credits carries the key in the header only, on a connection of its own (R-484)", async () => {
    const ports = new Set<number | undefined>();
    let url = "";
    const base = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      url = `${request.url} ${request.headers["x-api-key"]}`;
      response.end("{}");
    });
    const credits = { method: "POST", path: "/subaccounts/credits", auth: "header", body: {}, fresh: true } as const;
    const ascii = transport(base, { key: () => "k+/=&" });
    await ascii.call(credits);
    await ascii.call(credits);
    expect(url).toBe("/v1/subaccounts/credits k+/=&");
    expect(ports.size).toBe(2);
  });

  it("that sends a message uses a new connection each time, because a failure of a stale one is ambiguous (R-452)", async () => {
    const ports = new Set<number | undefined>();
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{"success":true,"messageId":"m-1"}');
    });
    const sender = service(url);
    for (let i = 0; i < 3; i++) await sender.sendMessage({ fromId: "v_1", customChannel: "website", body: "Hi" });
    expect(ports.size).toBe(3);
  });

  it("uses a kept connection", async () => {
    const ports = new Set<number | undefined>();
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end("{}");
    });
    const kept = transport(url, { connections: 1 });
    for (let i = 0; i < 5; i++) await kept.call(POST);
    expect(ports.size).toBe(1);
  });

  it("is not sent unencrypted to another machine, unless that is allowed (R-002)", () => {
    expect(() => transport("http://service.example/v1")).toThrow(/https/);
    expect(() => transport("http://service.example/v1", { allowInsecure: true })).not.toThrow();
    expect(() => transport("http://127.0.0.1:9/v1")).not.toThrow();
  });

  it("does not follow a redirect, which would get the key (R-003)", async () => {
    let visits = 0;
    const elsewhere = await serve((_request, response) => {
      visits++;
      response.end("{}");
    });
    const url = await answering(302, "", { location: elsewhere });
    expect(await outcome(url)).toMatchObject({ kind: "config", status: 302 });
    expect(visits).toBe(0);
  });
});

describe("an outcome (BEHAVIOUR 2.8)", () => {
  it.each([
    [200, '{"success":true}', "ok"],
    [201, '{"id":1}', "ok"],
    [204, "", "ok"],
    [200, '{"success":false,"message":"no"}', "permanent"],
    [200, '{"error_code":500}', "transient"],
    [400, '{"error":"Message already processed"}', "duplicate"],
    [409, "{}", "duplicate"],
    [400, '{"error":"body is required"}', "permanent"],
    [413, "{}", "permanent"],
    [422, "{}", "permanent"],
    [401, "Unauthorized", "config"],
    [403, '{"error":{"code":"X","message":"no"}}', "config"],
    [403, "<html>Attention Required</html>", "edge"],
    [404, '{"error":{"code":"NOT_FOUND","message":"no"}}', "permanent"],
    [404, "<html>not here</html>", "config"],
    [429, "{}", "throttle"],
    [408, "", "transient"],
    [500, '{"error":"oops"}', "transient"],
    [502, "<html>", "transient"],
    [599, "", "transient"],
  ])("of a %i with the body %j is %s", async (status, body, kind) => {
    expect(await outcome(await answering(status, body))).toMatchObject({ kind, status });
  });

  it("of a repeat without an idempotency key is neither success nor failure (RELIABILITY 3c)", async () => {
    expect(await outcome(await answering(409, "{}"), false)).toMatchObject({ kind: "unknown" });
  });

  it("contains code and message of either error shape, shortened (R-006)", async () => {
    expect(await outcome(await answering(400, '{"error":{"code":"INVALID_PHONE","message":"bad"}}'))).toMatchObject({
      code: "INVALID_PHONE",
      message: "bad",
    });
    expect(await outcome(await answering(400, '{"error":"no body"}'))).toMatchObject({ message: "no body" });
    expect(await outcome(await answering(400, '{"success":false,"message":"said so"}'))).toMatchObject({
      message: "said so",
    });
    expect((await outcome(await answering(500, "x".repeat(5_000)))).message.length).toBeLessThanOrEqual(300);
  });

  it("of a refused connection is transient: the call was certainly not sent", async () => {
    expect(await outcome("http://127.0.0.1:1/v1")).toMatchObject({
      kind: "transient",
      status: 0,
      message: "ECONNREFUSED",
    });
    expect(await outcome("https://no-such-host.invalid/v1")).toMatchObject({ kind: "transient", status: 0 });
  });

  it("of a connection that breaks after the request is unknown", async () => {
    const url = await serve((request) => {
      request.resume();
      request.on("end", () => request.socket.destroy());
    });
    expect(await outcome(url)).toMatchObject({ kind: "unknown", status: 0 });
  });

  it("of an answer that is missing or incomplete is unknown", async () => {
    const silent = await serve((request) => void request.resume());
    expect(await outcome(silent, true, 300)).toMatchObject({ kind: "unknown", status: 0 });
    const half = await serve((_request, response) => {
      response.writeHead(200, { "content-length": "100" }).write('{"success":');
      setImmediate(() => response.destroy());
    });
    expect(await outcome(half)).toMatchObject({ kind: "unknown" });
  });
});

it("an outcome never shows the key: not in answers that quote the request, not in errors", async () => {
  const echo = await serve((request, response) =>
    response.writeHead(400).end(`{"error":"bad request ${request.url} ${KEY}"}`),
  );
  const outcomes = [await outcome(echo), await outcome("http://127.0.0.1:1/v1")];
  const said = JSON.stringify(outcomes);
  expect(said).toContain("bad request …?apiKey=[redacted] [redacted]");
  for (const spelling of [KEY, encodeURIComponent(KEY), "0123456789"]) expect(said).not.toContain(spelling);
});

const MESSAGE = { messageSid: "pl_1", fromId: "v_1", toId: "shop", body: "Hello", channel: "web" };
const GRANT = { email: "a@b.example", amount: 1 };

function service(baseUrl: string, key: () => string = () => "key-0123456789"): Service {
  const made = createService({ baseUrl, key });
  stops.push(made.close);
  return made;
}

describe("what is known about whether a call was sent (R-011, RELIABILITY 3c)", () => {
  /** The sockets that this process opens, so that a test can break one. */
  function ownSockets(): Socket[] {
    const sockets: Socket[] = [];
    const seen = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
    subscribe("net.client.socket", seen);
    stops.push(() => unsubscribe("net.client.socket", seen));
    return sockets;
  }

  it.each(["EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN"])("is uncertain when %s follows the request", async (code) => {
    const sockets = ownSockets();
    const url = await serve((request) => {
      request.resume();
      request.on("end", () => sockets[0]?.destroy(Object.assign(new Error("the route is gone"), { code })));
    });
    const answer = await service(url).grantCredits(GRANT);
    expect([answer.kind, verdictOf(answer).kind]).toEqual(["unknown", "unknown"]);
  });

  it("is certain when the server does not support TLS", async () => {
    const url = await answering(200, "{}");
    expect((await transport(url.replace("http:", "https:")).call(POST)).phase).toBe("unsent");
  });

  it("is certain when the connection ends before the TLS handshake", async () => {
    const server = createListener((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    stops.push(() => server.close());
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    expect((await transport(url).call(POST)).phase).toBe("unsent");
  });

  it("is certain when a header cannot contain the key", async () => {
    const answer = await service(await answering(200, "{}"), () => "two\nlines").grantCredits(GRANT);
    expect(verdictOf(answer).kind).toBe("again");
  });

  it("is certain after close", async () => {
    const closed = createTransport({ baseUrl: await answering(200, "{}"), key: () => "k" });
    await closed.close();
    expect((await closed.call(POST)).phase).toBe("unsent");
  });
});

it("a call ends at its deadline, however slowly the answer arrives (R-011)", async () => {
  const url = await serve((request, response) => {
    request.resume();
    response.writeHead(200);
    const drip = setInterval(() => response.write(" "), 100);
    stops.push(() => clearInterval(drip));
    request.socket.on("close", () => clearInterval(drip));
  });
  // The answer never ends, so a call without a deadline would not end either.
  expect(await transport(url).call({ ...POST, timeout: 500 })).toMatchObject({ phase: "unanswered" });
});

describe("an answer of the service that is too long", () => {
  it("is read up to 256 KB only", async () => {
    const part = "x".repeat(64 * 1024);
    let sent = 0;
    const url = await serve((_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && sent < 128 && response.write(part)) sent++;
        if (sent >= 128) response.end();
      };
      response.on("drain", more);
      more();
    });
    const answer = await transport(url).call(POST);
    expect(answer.phase === "answered" && answer.text.length).toBeLessThan(512 * 1024);
  });

  it("is not unpacked beyond that (A23)", async () => {
    const bomb = gzipSync("x".repeat(10 * 1024 * 1024));
    const url = await serve((_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
    const answer = await transport(url).call(POST);
    expect(answer).toMatchObject({ phase: "answered", text: "" });
  });
});

describe("the key (A11)", () => {
  const KEY = "k/&<9876543210";

  it("is hidden where the answer's JSON escapes it as Go, PHP and Java do", async () => {
    for (const spelt of ["k\\/&<9876543210", "k/\\u0026\\u003c9876543210", "\\u006b/&<9876543210"]) {
      const url = await answering(400, `{"error":"bad key ${spelt}"}`);
      const { message } = await service(url, () => KEY).incoming(MESSAGE);
      expect(message, spelt).toBe("bad key [redacted]");
    }
  });

  it("is hidden in the whole answer, in its text as well as in its values", async () => {
    const key = "no/digits&here";
    const call = async (body: string) => {
      const answer = await transport(await answering(400, body), { key: () => key }).call(POST);
      return JSON.stringify(answer);
    };
    for (const body of [`the key ${key} is wrong`, `{"error":"${key}","keys":["${key}"]}`])
      expect(await call(body)).not.toMatch(/digits/);
    expect(JSON.parse(await call('{"error":"\\u006eo/digits&here"}'))).toMatchObject({ json: { error: "[redacted]" } });
  });

  it("is hidden when a proxy uses lower-case percent codes, or its page escapes the key", async () => {
    for (const spelt of ["k%2f%26%3c9876543210", "k/&amp;&lt;9876543210"]) {
      const url = await answering(502, `<html>GET /v1/contacts?apiKey=${spelt}</html>`);
      const { message } = await service(url, () => KEY).incoming(MESSAGE);
      expect(message, spelt).toContain("GET …?apiKey=[redacted]<");
    }
  });

  it("is hidden when it was replaced while the call was under way (F32)", async () => {
    let key = "old-key-0123456789";
    const url = await serve((request, response) => {
      request.resume();
      request.on("end", () => {
        key = "new-key";
        response
          .writeHead(401)
          .end(`{"error":"no such key: ${new URL(request.url ?? "", url).searchParams.get("apiKey")}"}`);
      });
    });
    expect((await service(url, () => key).incoming(MESSAGE)).message).toBe("no such key: [redacted]");
  });

  it("is not in the error for an invalid address", () => {
    const baseUrl = "service.example/v1?apiKey=key-0123456789";
    const errorOf = (): Error & { input?: string } => {
      try {
        createTransport({ baseUrl, key: () => "" });
      } catch (error) {
        return error as Error;
      }
      throw new Error("The address was accepted");
    };
    const { message, stack, input } = errorOf();
    expect(message).toContain("SERVICE_URL");
    expect(`${message} ${stack} ${input}`).not.toContain("key-0123456789");
  });
});

/** A transport whose only connection is busy with a call until `free`. `seen`: the paths that the service got. */
async function busyTransport() {
  const held: ServerResponse[] = [];
  const seen: string[] = [];
  const url = await serve((request, response) => {
    seen.push(request.url?.split("?")[0] ?? "");
    if (held.length === 0) held.push(response);
    else response.end("{}");
  });
  const made = transport(url, { connections: 1 });
  const first = made.call(POST);
  await expect.poll(() => held.length).toBe(1);
  const free = (): Promise<unknown> => {
    held[0]?.end("{}");
    return first;
  };
  return { made, seen, free };
}

it("does not write a request that was given up while it waited for a connection", async () => {
  const { made, seen, free } = await busyTransport();
  const late = await made.call({ ...POST, path: "/late", timeout: 1 });
  expect(late).toMatchObject({ phase: "unsent", reason: "TIMEOUT" });
  await free();
  await made.call({ ...POST, path: "/next" });
  expect(seen).toEqual(["/v1/contacts", "/v1/next"]);
});

it("does not write a request that was withdrawn while it waited for a connection", async () => {
  const { made, seen, free } = await busyTransport();
  let mayWrite = true;
  const late = made.call({ ...POST, path: "/late", mayWrite: () => mayWrite });
  mayWrite = false;
  await free();
  expect(await late).toEqual({ phase: "unsent", reason: "WITHDRAWN" });
  mayWrite = true;
  await made.call({ ...POST, path: "/next", mayWrite: () => mayWrite });
  expect(seen).toEqual(["/v1/contacts", "/v1/next"]);
});
