import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { PNG } from "../relay/src/files/samples.fixture.ts";
import { openApi } from "../relay/src/http/api/openapi.ts";
import { OPERATIONS } from "../relay/src/http/api/operations.ts";
import { clientPackage } from "../relay/src/http/api/package.ts";
import { type Harness, NO_UNKNOWN_OUTCOMES, startHarness } from "./harness.ts";
import { IDENTITY_SECRET, identityOf } from "./identities.ts";
import { type ReceivedEvent, startReceiver, WEBHOOK_SECRET } from "./receiver.ts";
import { caller, tokenFor } from "./tokens.ts";
import { upload } from "./uploads.ts";

const ROOT = join(import.meta.dirname, "..");
const run = promisify(execFile);
const EMAIL = "client@agency.example";
const document = openApi(OPERATIONS, "");
const NAMES = Object.keys(document.webhooks).sort();
/** Types whose last event is about the customer. */
const ABOUT_CUSTOMER = ["message.visitor", "message.reply", "lead.captured", "conversation.rated", "delivery.failed"];
/** `expect.poll` works only in tests, so this hook waits in another way. */
const TIMEOUT = { timeout: 60_000 };

let receiver: Awaited<ReturnType<typeof startReceiver>>;
let harness: Harness;
/** The messaging service's id of the customer. */
let contactId: unknown;
let visitorId = "";

/** Causes one request of every kind to the backend, by a customer who writes on a named page. */
beforeAll(async () => {
  receiver = await startReceiver(WEBHOOK_SECRET);
  const hook = { url: receiver.url, secret: "env:WEBHOOK_SECRET" };
  harness = await startHarness({
    sandbox: NO_UNKNOWN_OUTCOMES,
    env: { WEBHOOK_SECRET, IDENTITY_SECRET },
    site: { identitySecret: "env:IDENTITY_SECRET", webhook: hook, guard: hook, messagesPerDay: 3, rating: "five" },
    account: { credits: { mode: "webhook", billing: hook } },
  });
  harness.sandbox.seed({ subAccounts: [{ email: EMAIL }] });
  receiver.answerBodies(...Array<object>(50).fill({ allow: true, approve: true }));
  await converse();
  const recharge = harness.callbackUrl.replace("/reply/", "/recharge/");
  const event = JSON.stringify({ idempotency_key: "r-1", email: EMAIL, amount: 5 });
  await fetch(recharge, { method: "POST", body: event });
  // Events of a site and of its account come in no particular order, nor do the two replies.
  await vi.waitFor(() => {
    expect([...new Set(receiver.events.map(nameOf))].sort()).toEqual(NAMES);
    for (const type of ABOUT_CUSTOMER) expect([type, latest(type)?.sub]).toEqual([type, "customer-7"]);
  }, TIMEOUT);
});
afterAll(async () => {
  await harness.stop();
  await receiver.stop();
});

async function converse(): Promise<void> {
  const where = { page: "/lamps?colour=red", title: "Red lamps\nof ours" };
  const anonymous = harness.visitor();
  await anonymous.connect();
  await anonymous.send("hello", "first-words", where);
  await anonymous.receives("echo: hello");
  const customer = harness.visitor({
    token: anonymous.token() ?? "",
    identity: identityOf({ sub: "customer-7", email: "ada@b.example" }),
  });
  await customer.connect();
  const { answer } = await upload(harness, customer, PNG, { name: "lamp.png" });
  await customer.send("look", "with-a-file", { media: answer.key });
  await customer.receives("echo: look");
  customer.write({ t: "lead", id: "the-form", chat: false, firstName: "Ada", email: "ada@b.example", ...where });
  await customer.next((frame) => frame.t === "lead");
  customer.write({ t: "rate", id: "the-rating", score: 4, of: 5, comment: "fine" });
  harness.sandbox.failNext("incoming", 1, 400);
  await customer.send("refused");
  await customer.sees((message) => message.from === "visitor" && message.state === "failed");
  await customer.send("one too many");
  const call = caller(harness, await tokenFor(harness));
  const { items } = (await call("GET", "/visitors")).body as { items: { id: string; contactId: unknown }[] };
  visitorId = items[0]?.id ?? "";
  contactId = items[0]?.contactId;
}

/** Names of the webhooks in the document: the request to the billing webhook has the type of an event. */
const nameOf = ({ type, body }: ReceivedEvent): string =>
  type === "recharge.requested" && !("data" in JSON.parse(body)) ? "recharge.approval" : type;

const latest = (type: string) => receiver.events.findLast((event) => event.type === type)?.data;

it("sends every kind of body in the OpenAPI document, and no others", () => {
  const ajv = formats.default(new Ajv2020({ strict: false })).addSchema({ $id: "openapi", ...document });
  const violations = receiver.events.map((event) => {
    const place = `/webhooks/${nameOf(event)}/post/requestBody/content/application~1json/schema`;
    const fits = ajv.getSchema(`openapi#${place}`);
    return fits?.(JSON.parse(event.body)) ? undefined : [nameOf(event), fits?.errors];
  });
  expect(violations.filter((each) => each !== undefined)).toEqual([]);
  expect([...new Set(receiver.events.map(nameOf))].sort()).toEqual(NAMES);
  expect(receiver.events.every(({ valid }) => valid)).toBe(true);
});

it("names the customer, the contact and the page in every event about a visitor, and in the API", async () => {
  const page = { url: `${harness.host}/lamps?colour=red`, title: "Red lamps of ours" };
  const about = receiver.events.filter(({ data }) => "visitor" in data);
  expect(new Set(about.map(({ type }) => type)).size).toBe(6);
  for (const { type, data } of about)
    expect([type, data]).toEqual([
      type,
      expect.objectContaining({ sub: data.sub, contactId: data.contactId === null ? null : expect.any(String), page }),
    ]);
  for (const type of ABOUT_CUSTOMER)
    expect([type, latest(type)?.sub, latest(type)?.visitor]).toEqual([type, "customer-7", visitorId]);
  expect(contactId).toEqual(expect.any(String));
  expect(latest("delivery.failed")?.contactId).toBe(contactId);
  const call = caller(harness, await tokenFor(harness));
  const profile = { sub: "customer-7", contactId, page };
  expect((await call("GET", `/visitors/${visitorId}`)).body).toMatchObject(profile);
  expect((await call("GET", `/visitors/${visitorId}/export`)).body.visitor).toMatchObject(profile);
  await call("POST", "/messages", { to: { user: "customer-8" }, text: "Hello" }, "m-8");
  const [newest] = (await call("GET", "/visitors?limit=1")).body.items as unknown[];
  expect(newest).toMatchObject({ sub: "customer-8", page: null });
});

it("has the same bodies as types in the client package", async () => {
  const project = mkdtempSync(join(tmpdir(), "porchlight-"));
  const installed = join(project, "node_modules", "@porchlight", "client");
  mkdirSync(installed, { recursive: true });
  for (const [name, text] of Object.entries(clientPackage())) writeFileSync(join(installed, name), text);
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
  const bodies = receiver.events.map((event) => `  ["${nameOf(event)}", ${event.body}],`);
  const backend = `import type { WebhookPayload, Webhooks } from "@porchlight/client";
type Sent = { [N in keyof Webhooks]: [name: N, body: Webhooks[N]] }[keyof Webhooks];
export const sent: Sent[] = [
${bodies.join("\n")}
];
export function customerOf(event: WebhookPayload): string | null {
  // @ts-expect-error Credits are an account's.
  if (event.type === "credits.granted") return event.data.sub;
  if (event.type === "recharge.requested" || event.type === "budget.reached") return null;
  return event.data.page?.url ?? event.data.contactId ?? event.data.sub;
}
`;
  writeFileSync(join(project, "backend.ts"), backend);
  const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--types", ""];
  const tsc = run(join(ROOT, "node_modules", ".bin", "tsc"), [...flags, "backend.ts"], { cwd: project });
  const output = await tsc.then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout as string,
  );
  expect(output).toBe("");
  rmSync(project, { recursive: true });
});
