import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Harness, startHarness } from "./harness.ts";
import type { Visitor } from "./visitor.ts";

describe("the reply callback", () => {
  let harness: Harness;
  let visitor: Visitor;
  let toId: string;

  beforeAll(async () => {
    harness = await startHarness();
    visitor = harness.visitor();
    await visitor.greet();
    toId = harness.sandbox.messages()[0]?.fromId ?? "";
  });
  afterAll(() => harness.stop());

  const post = (url: string, fields: Record<string, unknown>): Promise<Response> =>
    fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ contactId: "c1", messageId: randomUUID(), userId: "u", channel: "website", ...fields }),
    });

  it("answers 200 with a short JSON body, and the visitor gets the reply", async () => {
    const response = await post(harness.callbackUrl, { toId, body: "typed by a person" });
    expect([response.status, await response.json()]).toEqual([200, { success: true }]);
    await visitor.receives("typed by a person");
  });

  it("stores a reply from a client that also offers HTTP/2, as Java's client does over plain HTTP", async () => {
    const body = JSON.stringify({
      contactId: "c1",
      messageId: randomUUID(),
      userId: "u",
      channel: "website",
      toId,
      body: "h2c",
    });
    const offer = {
      Connection: "Upgrade, HTTP2-Settings",
      Upgrade: "h2c",
      "HTTP2-Settings": "AAMAAABkAAQBAAAAAAIAAAAA",
    };
    const headers = { "Content-Type": "application/json", ...offer };
    const [answer] = await once(request(harness.callbackUrl, { method: "POST", headers }).end(body), "response");
    expect(answer.statusCode).toBe(200);
    await visitor.receives("h2c");
  });

  it("answers 404 to a wrong secret, and writes nothing (4.13-15; R-505)", async () => {
    const wrong = harness.callbackUrl.replace(/[^/]+$/, "not-the-secret-of-the-tests");
    const response = await post(wrong, { toId, body: "forged" });
    const nowhere = await post(`${harness.url}/callbacks-of-nobody`, {});
    expect([response.status, await response.text()]).toEqual([404, await nowhere.text()]);
    await visitor.send("after the forgery");
    await visitor.receives("echo: after the forgery");
    expect(visitor.log().filter(({ text }) => text === "forged")).toEqual([]);
  });

  it("refuses a reply for an unknown id with 404 and a short JSON error, which the service shows as Failed (4.13-14; R-303, R-306, R-612)", async () => {
    const response = await post(harness.callbackUrl, { toId: "nobody-of-ours", body: "hi" });
    expect(response.status).toBe(404);
    const { error } = (await response.json()) as { error: string };
    expect(error.length).toBeLessThan(120);

    await incomingFromElsewhere(harness, "somebody-elses-visitor");
    const reply = await harness.sandbox.humanReply({ fromId: "somebody-elses-visitor", body: "hi" });
    expect(reply.status).toBe("Failed");
    expect(reply.error).toContain("404");
    expect(reply.error).toContain(error);
  });

  it("answers 200 to each of five simultaneous calls with one messageId, and shows one message", async () => {
    const messageId = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => post(harness.callbackUrl, { toId, messageId, body: "only once" })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await visitor.receives("only once");
    await post(harness.callbackUrl, { toId, body: "the one after" });
    await visitor.receives("the one after");
    expect(visitor.log().filter(({ text }) => text === "only once")).toHaveLength(1);
  });
});

describe("callbacks from listed addresses only", () => {
  it("are accepted from CALLBACK_ALLOW behind the trusted proxy, and answered with 404 from all others (R-505)", async () => {
    const env = { CALLBACK_ALLOW: "203.0.113.0/24, 2001:db8::/32", TRUST_PROXY: "1" };
    const harness = await startHarness({ env, sandbox: { botActive: false } });
    const visitor = harness.visitor();
    await visitor.connect();
    await visitor.send("hello");
    await harness.sandbox.until((all) => all.messages().length === 1);
    const toId = harness.sandbox.messages()[0]?.fromId ?? "";
    const from = (forwarded: string, body: string): Promise<Response> =>
      fetch(harness.callbackUrl, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Forwarded-For": forwarded },
        body: JSON.stringify({ contactId: "c1", messageId: randomUUID(), userId: "u", toId, body }),
      });
    // Entries left of the proxy's own entry come from the sender and can be forged.
    const refused = await from("203.0.113.9, 198.51.100.4", "from elsewhere");
    const nowhere = await fetch(`${harness.url}/callbacks-of-nobody`, { method: "POST" });
    expect([refused.status, await refused.text()]).toEqual([404, await nowhere.text()]);
    expect((await from("198.51.100.4, 2001:db8:7::1", "from the list")).status).toBe(200);
    await visitor.receives("from the list");
    expect(visitor.log().filter(({ text }) => text === "from elsewhere")).toEqual([]);
    // An address check with GET is allowed from anywhere.
    expect(await (await fetch(harness.callbackUrl)).text()).toBe("ok");
    const logged = harness.lines().filter((line) => line.includes("callback.wrong_address"));
    expect(logged.map((line) => (JSON.parse(line) as { address: string }).address)).toEqual(["198.51.100.4"]);
    await harness.stop();
  });
});

/** A message that another program sends to the same account. */
async function incomingFromElsewhere({ sandbox }: Harness, fromId: string): Promise<void> {
  sandbox.configure({ botActive: false });
  const url = `${sandbox.url}/incoming_custom_channel_message?apiKey=${encodeURIComponent(sandbox.config.apiKey)}`;
  await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ customData: { messageSid: randomUUID(), fromId, toId: "them", body: "hello" } }),
  });
  await sandbox.until((all) => all.messages(fromId).length === 1);
  sandbox.configure({ botActive: true });
}
