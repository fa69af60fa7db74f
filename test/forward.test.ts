import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Harness, startHarness } from "./harness.ts";

type Forwarded = { headers: IncomingHttpHeaders; path: string | undefined; body: string };

/** Another program on the account, with its own callback address. */
async function startOther() {
  const received: Forwarded[] = [];
  let [status, location] = [200, ""];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    received.push({ headers: request.headers, path: request.url, body });
    response.writeHead(status, location === "" ? {} : { Location: location }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/their-hook?key=their-secret`;
  return {
    url,
    received,
    answer: (next: number, to = "") => ([status, location] = [next, to]),
    stop: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

let other: Awaited<ReturnType<typeof startOther>>;
let harness: Harness;
beforeEach(async () => {
  other = await startOther();
  harness = await startHarness({ env: { FORWARD_CALLBACKS: other.url } });
});
afterEach(async () => {
  await harness.stop();
  await other.stop();
});

const foreign = JSON.stringify({
  toId: "crm-4711",
  body: "for the other one",
  messageId: "m-1",
  userId: "owner-1",
  contactId: "c",
});
const post = (body: string, headers = {}) =>
  fetch(harness.callbackUrl, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body });

describe("a callback for a contact of another program (C27)", () => {
  it("is forwarded unchanged, and the other program's answer is returned", async () => {
    expect((await post(foreign)).status).toBe(200);
    expect(other.received).toMatchObject([{ path: "/their-hook?key=their-secret", body: foreign }]);
    for (const [theirs, ours] of [
      [404, 404],
      [503, 503],
      [410, 404],
      [302, 502],
    ] as const) {
      other.answer(theirs, theirs === 302 ? harness.url : "");
      expect((await post(foreign)).status, `${theirs}`).toBe(ours);
    }
    await other.stop();
    expect((await post(foreign)).status).toBe(502);
    const log = harness.lines().join("\n");
    expect(log).toContain("callback.forwarded");
    expect(log).not.toMatch(/their-secret|owner-1|for the other one/);
  });

  it("is not forwarded again when another relay has forwarded it", async () => {
    expect((await post(foreign, { "X-Porchlight-Forwarded": "1" })).status).toBe(404);
    expect(other.received).toEqual([]);
  });

  it("is the only kind that is forwarded: replies to the relay's visitors and forgeries are not", async () => {
    const visitor = harness.visitor();
    await visitor.greet();
    const forged = harness.callbackUrl.replace(/[^/]+$/, "not-the-secret-of-the-tests");
    expect((await fetch(forged, { method: "POST", body: foreign })).status).toBe(404);
    const recharge = JSON.stringify({ idempotency_key: "r-1", email: "client@agency.example", amount: 5 });
    expect((await post(recharge)).status).toBe(200);
    expect(other.received).toEqual([]);
  });
});
