import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { verdictOf } from "../records/ledger/grants.ts";
import { createService, type Service } from "./api.ts";
import { createTransport, type Transport, type TransportOptions } from "./http.ts";
import { outcomeOf } from "./outcome.ts";

/** The outcome of each answer, at real servers: BEHAVIOUR 2.4 and 2.8. */

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function serve(handler: RequestListener): Promise<string> {
  const server: Server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const answering = (status: number, body: string | Buffer, headers: Record<string, string> = {}) =>
  serve((request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  });

function transport(baseUrl: string, options: Partial<TransportOptions> = {}): Transport {
  const made = createTransport({ baseUrl, key: () => "key-0123456789", ...options });
  stops.push(made.close);
  return made;
}

function service(baseUrl: string, key: () => string = () => "key-0123456789"): Service {
  const made = createService({ baseUrl, key });
  stops.push(made.close);
  return made;
}

const POST = { method: "POST", path: "/contacts", auth: "query", body: { email: "a@b.example" } } as const;
const MESSAGE = { messageSid: "pl_1", fromId: "v_1", toId: "shop", body: "Hello", channel: "web" };
const GRANT = { email: "a@b.example", amount: 1 };
const outcome = async (url: string, idempotent: boolean) =>
  outcomeOf(await transport(url).call({ ...POST, timeout: 5_000 }), idempotent, 0);

describe("an answer that is not a success does not count as one", () => {
  it.each([
    "Campaign spring no longer exists",
    "No contact exists with this id",
    "campaignId does not match any campaign that exists",
  ])("a 400 that says that something does not exist is no duplicate: %s", async (error) => {
    expect((await outcome(await answering(400, JSON.stringify({ error })), true)).kind).toBe("permanent");
  });

  it.each([
    ['{"success":false,"error_code":500,"message":"try later"}', "transient"],
    ['{"success":false,"error_code":401,"message":"bad key"}', "config"],
    ['{"success":false,"error_code":429,"message":"slow down"}', "throttle"],
  ])("a look-up answered 200 %s is %s, not an empty result (R-007, R-432)", async (body, kind) => {
    expect((await service(await answering(200, body)).findContact({ email: "a@b.example" })).kind).toBe(kind);
  });

  it("a look-up answered 200 with a page is not an empty result", async () => {
    const url = await answering(200, "<html>maintenance</html>", { "content-type": "text/html" });
    expect((await service(url).findContact({ email: "a@b.example" })).kind).toBe("unknown");
  });

  it("a grant answered 200 with an unreadable body is unknown (RELIABILITY 3c)", async () => {
    for (const body of ["", "<html>", '{"success":true,"sub_acc']) {
      expect(verdictOf(await service(await answering(200, body)).grantCredits(GRANT)).kind, body).toBe("unknown");
    }
  });

  it.each([500, 503, 408, 409])("a grant answered %i is unknown (RELIABILITY 3c)", async (status) => {
    expect(verdictOf(await service(await answering(status, "{}")).grantCredits(GRANT)).kind).toBe("unknown");
  });

  it("a send answered 409 may have been processed (R-452)", async () => {
    const answer = await service(await answering(409, "{}")).sendMessage({
      fromId: "v",
      customChannel: "w",
      body: "x",
    });
    expect(answer.kind).toBe("unknown");
  });
});

describe("an answer that refuses every call pauses the account, and fails no message (BEHAVIOUR 2.8)", () => {
  it.each([
    [429, "<html>Too many requests</html>", "edge"],
    [307, "", "config"],
  ])("a %i with the body %j is of the class %s", async (status, body, kind) => {
    expect((await outcome(await answering(status, body), true)).kind).toBe(kind);
  });

  it("a 404 in JSON for a message that names no campaign is about the address", async () => {
    const url = await answering(404, '{"error":{"code":"NOT_FOUND","message":"no such route"}}');
    expect((await service(url).incoming(MESSAGE)).kind).toBe("config");
  });
});

it.each(["Message was not processed: it already exists", "messageSid exists", "Duplicate message, nothing to do"])(
  "a 400 that says %s is a repeat (R-223)",
  async (error) => {
    expect((await outcome(await answering(400, JSON.stringify({ error })), true)).kind).toBe("duplicate");
  },
);

describe("a look-up", () => {
  it("has no result when it is answered 404 without a body (R-006, R-432)", async () => {
    const answer = await service(await answering(404, "")).findContact({ email: "a@b.example" });
    expect([answer.kind, answer.contact]).toEqual(["ok", undefined]);
  });

  it("is parsed when a proxy compressed the answer unasked", async () => {
    const url = await answering(200, gzipSync('{"id":"c1"}'), { "content-encoding": "gzip" });
    expect((await service(url).findContact({ email: "a@b.example" })).contact?.id).toBe("c1");
  });

  it.each(["null", "{}", '{"success":false,"message":"not found"}', "[]", '{"data":null}', '{"data":[]}'])(
    "has no result when it is answered 200 %s",
    async (body) => {
      const answer = await service(await answering(200, body)).findContact({ email: "a@b.example" });
      expect([answer.kind, answer.contact]).toEqual(["ok", undefined]);
    },
  );

  it.each([
    '{"id":7}',
    '{"contactId":"7"}',
    '{"contact_id":7}',
    '{"contact":{"id":"7"}}',
    '{"data":{"id":7}}',
    '{"data":{"contactId":"7"}}',
    '[{"id":"7"},{"id":"8"}]',
    '{"success":true,"contactId":7,"contact":{"phoneNumber":"+4712345678"}}',
  ])("finds the id in %s (R-422, R-431)", async (body) => {
    expect((await service(await answering(200, body)).findContact({ email: "a@b.example" })).contact?.id).toBe("7");
  });

  it("works with lone surrogates and characters that need percent encoding", async () => {
    let query = "";
    const url = await serve((request, response) => {
      query = new URL(request.url ?? "", "http://x").searchParams.get("email") ?? "";
      response.end("{}");
    });
    await service(url).findContact({ email: "a+b&c=d\ud800@é.example" });
    expect(query).toBe("a+b&c=d\ufffd@é.example");
  });
});

it("keeps a list's id inside its path segment", async () => {
  const paths: string[] = [];
  const url = await serve((request, response) => {
    paths.push(new URL(request.url ?? "", "http://x").pathname);
    response.end("{}");
  });
  expect(await service(url).addToList("..", "c1")).toMatchObject({ kind: "permanent", message: "invalid list id" });
  await service(url).addToList("a/../b", "c1");
  expect(paths).toEqual(["/v1/lists/a%2F..%2Fb/contacts"]);
});

it("sends exactly the fields of the interface, with messageType beside customData (interface 4.5, R-242)", async () => {
  let body: unknown;
  const url = await serve(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    body = JSON.parse(text);
    response.end("{}");
  });
  await service(url).incoming({ ...MESSAGE, firstName: "", email: "a@b.example" }, "reaction");
  expect(body).toEqual({ customData: { ...MESSAGE, email: "a@b.example" }, messageType: "reaction" });
  await service(url).sendMessage({ fromId: "v", customChannel: "w", body: "x", lastName: "" });
  expect(body).toEqual({ customData: { fromId: "v", customChannel: "w", body: "x" } });
  await service(url).grantCredits({ email: " A@B.example ", amount: 0.5, description: "d" });
  expect(body).toEqual({ email: "a@b.example", amount: 0.5, description: "d" });
});
