import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runFast } from "./clocks.ts";
import { type Harness, NO_UNKNOWN_OUTCOMES, startHarness } from "./harness.ts";
import { startReceiver, WEBHOOK_SECRET } from "./receiver.ts";
import { caller, tokenFor } from "./tokens.ts";

const EMAIL = "client@agency.example";
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let harness: Harness;

beforeEach(async () => {
  receiver = await startReceiver(WEBHOOK_SECRET);
});
afterEach(async () => {
  await harness.stop();
  await receiver.stop();
});

async function open(webhook: object = {}, account: object = {}): Promise<void> {
  const site = { leads: { country: "DE" }, webhook: { url: receiver.url, secret: "env:WEBHOOK_SECRET", ...webhook } };
  harness = await startHarness({
    run: runFast(10),
    sandbox: NO_UNKNOWN_OUTCOMES,
    env: { WEBHOOK_SECRET },
    site,
    account,
  });
  harness.sandbox.seed({ subAccounts: [{ email: EMAIL }] });
}
const types = () => receiver.events.map(({ type }) => type);

it("reports messages, replies, leads, failures and credits to the owner's backend, all signed", async () => {
  await open({}, { credits: { mode: "auto", allow: [EMAIL] } });
  const visitor = harness.visitor();
  await visitor.connect();
  const { id } = await visitor.send("hello");
  await visitor.receives("echo: hello");
  // The fault below is for another message; this one may still be checked.
  await visitor.sees((message) => message.id === id && "state" in message && message.state === "delivered");
  visitor.write({ t: "lead", id: "the-form", chat: true, email: "ada@b.example" });
  await visitor.next((frame) => frame.t === "lead");
  harness.sandbox.failNext("incoming", 1, 400);
  const refused = await visitor.send("refused");
  const recharge = harness.callbackUrl.replace("/reply/", "/recharge/");
  const event = JSON.stringify({ idempotency_key: "r-1", email: EMAIL, amount: 5 });
  await fetch(recharge, { method: "POST", body: event });
  await expect.poll(() => new Set(types()).size).toBe(6);
  expect(receiver.events.filter(({ valid }) => !valid)).toEqual([]);
  const visitorId = harness.sandbox.messages()[0]?.fromId;
  expect(receiver.events).toContainEqual(
    expect.objectContaining({
      type: "message.visitor",
      data: { site: "default", visitor: visitorId, sub: null, contactId: null, page: null, id, text: "hello" },
    }),
  );
  expect(receiver.events.find(({ type }) => type === "lead.captured")?.data).toMatchObject({ lead: "the-form" });
  expect(receiver.events.find(({ type }) => type === "credits.granted")?.data).toMatchObject({ key: "r-1", amount: 5 });
  // The same id as in `message.visitor`, so that a backend knows which message failed.
  const failed = receiver.events.find(({ type }) => type === "delivery.failed")?.data;
  expect(failed).toMatchObject({ id: refused.id, reason: "rejected" });
});

it("reports an account's credits once, to an address that another of its sites uses", async () => {
  const webhook = { url: receiver.url, secret: "env:WEBHOOK_SECRET" };
  const wanting = (...events: string[]) => ({ webhook: { ...webhook, events } });
  const sites = { first: wanting("recharge.requested"), second: wanting("recharge.requested") };
  harness = await startHarness({ env: { WEBHOOK_SECRET }, site: wanting("message.visitor"), sites });
  const recharge = harness.callbackUrl.replace("/reply/", "/recharge/");
  await fetch(recharge, { method: "POST", body: JSON.stringify({ idempotency_key: "r-1", email: EMAIL, amount: 5 }) });
  await expect.poll(types).toEqual(["recharge.requested"]);
  const logs = await Promise.all(
    ["default", "first", "second"].map(async (site) => {
      const { body } = await caller(harness, await tokenFor(harness, undefined, site))("GET", "/webhook/events");
      return (body.items as unknown[]).length;
    }),
  );
  expect(logs).toEqual([0, 1, 0]);
});

it("repeats an event under the same id until it is accepted, and logs the attempts", async () => {
  await open({ events: ["message.visitor"] });
  receiver.answerWith(500);
  const visitor = harness.visitor();
  await visitor.connect();
  await visitor.send("hello");
  await expect.poll(() => receiver.events.length).toBe(2);
  expect(new Set(receiver.events.map(({ id }) => id)).size).toBe(1);
  const call = caller(harness, await tokenFor(harness));
  const log = async () => (await call("GET", "/webhook/events")).body.items as Record<string, unknown>[];
  await expect.poll(async () => (await log())[0]?.state).toBe("delivered");
  expect(await log()).toMatchObject([{ type: "message.visitor", attempts: 2, status: 200, due: null }]);
  await call("POST", `/webhook/events/${receiver.events[0]?.id}/retry`, {}, "again-1");
  await expect.poll(() => receiver.events.length).toBe(3);
  // The log counts every attempt, including manual ones.
  await expect.poll(async () => (await log())[0]).toMatchObject({ state: "delivered", attempts: 3 });
});

it("does not delay a site's events when the receiver of another site never answers", async () => {
  const held: ServerResponse[] = [];
  const silent = createServer((_, response) => void held.push(response));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  const hook = (url: string) => ({ webhook: { url, secret: "env:WEBHOOK_SECRET", events: ["lead.captured"] } });
  const sites = { first: hook(`http://127.0.0.1:${port}/a`), second: hook(`http://127.0.0.1:${port}/b`) };
  harness = await startHarness({ env: { WEBHOOK_SECRET }, site: hook(receiver.url), sites });
  for (const site of Object.keys(sites)) {
    const call = caller(harness, await tokenFor(harness, undefined, site));
    const lead = (i: number) => call("POST", "/leads", { email: `lead${i}@b.example` }, `${site}-${i}`);
    expect(
      new Set((await Promise.all(Array.from({ length: 20 }, (_, i) => lead(i)))).map(({ status }) => status)),
    ).toEqual(new Set([202]));
  }
  await expect.poll(() => held.length).toBeGreaterThanOrEqual(8);
  const call = caller(harness, await tokenFor(harness));
  for (const i of [1, 2, 3, 4, 5, 6]) await call("POST", "/leads", { email: `mine${i}@b.example` }, `mine-${i}`);
  await expect.poll(() => receiver.events.length).toBe(6);
  await new Promise((resolve) => silent.close(resolve).closeAllConnections());
});

it("stops sending to a receiver that answers 410, and deletes events about erased visitors", async () => {
  await open();
  receiver.answerWith(410, 410, 410);
  const visitor = harness.visitor();
  await visitor.greet();
  const call = caller(harness, await tokenFor(harness));
  const states = async () =>
    ((await call("GET", "/webhook/events")).body.items as { state: string }[]).map(({ state }) => state);
  await expect.poll(states).toEqual(["failed", "failed"]);
  await expect.poll(() => harness.lines().some((line) => line.includes("webhook.failed"))).toBe(true);
  await call("DELETE", `/visitors/${harness.sandbox.messages()[0]?.fromId}`, undefined, "erase-1");
  expect(await states()).toEqual([]);
});

it("asks the billing webhook before granting credits, if the account says so (R-623)", async () => {
  await open(
    { events: [] },
    { credits: { mode: "webhook", billing: { url: receiver.url, secret: "env:WEBHOOK_SECRET" } } },
  );
  receiver.answerBodies({ approve: true }, { approve: false });
  const recharge = harness.callbackUrl.replace("/reply/", "/recharge/");
  for (const key of ["r-1", "r-2"]) {
    await fetch(recharge, { method: "POST", body: JSON.stringify({ idempotency_key: key, email: EMAIL, amount: 5 }) });
    await expect.poll(() => receiver.events.some(({ id }) => id === key)).toBe(true);
  }
  await harness.sandbox.until(() => harness.sandbox.state().grants.length === 1);
  expect(receiver.events.every(({ valid }) => valid)).toBe(true);
  const call = caller(harness, await tokenFor(harness));
  await expect
    .poll(async () => (await call("GET", "/credits/grants/r-2")).body.reason)
    .toBe("the billing webhook declined it");
  expect(harness.sandbox.state().grants).toHaveLength(1);
});
