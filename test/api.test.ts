import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PNG } from "../relay/src/files/samples.fixture.ts";
import { SCOPES } from "../relay/src/records/tokens.ts";
import { type Harness, NO_RANDOM_FAULTS, NO_UNKNOWN_OUTCOMES, startHarness } from "./harness.ts";
import { type Answer, caller, retryingFetch, tokenFor } from "./tokens.ts";
import { upload } from "./uploads.ts";
import type { Visitor } from "./visitor.ts";

let harness: Harness;
let call: ReturnType<typeof caller>;
let visitor: Visitor;
let id: string;

const EMAIL = "client@agency.example";
const items = ({ body }: Answer): Record<string, unknown>[] => body.items as Record<string, unknown>[];

beforeAll(async () => {
  harness = await startHarness({
    sandbox: NO_UNKNOWN_OUTCOMES,
    account: { credits: { perGrant: 100 } },
    site: { leads: { country: "DE" } },
    sites: { other: { channel: "other" } },
  });
  harness.sandbox.seed({ lists: ["leads"], subAccounts: [{ email: EMAIL }] });
  call = caller(harness, await tokenFor(harness), retryingFetch);
  visitor = harness.visitor();
  await visitor.greet();
  await delivered("hello");
  id = harness.sandbox.messages()[0]?.fromId ?? "";
});
afterAll(() => harness.stop());

/** The reply may arrive before the answer to the message. */
const delivered = (text: string) =>
  visitor.sees((message) => message.from === "visitor" && message.text === text && message.state === "delivered");

describe("access to the server API", () => {
  it("answers 401 without a valid token and 403 without the scope, as problems", async () => {
    const nobody = await caller(harness, "pl_nonsense")("GET", "/visitors");
    expect([nobody.status, nobody.headers.get("content-type")]).toEqual([401, "application/problem+json"]);
    expect(nobody.body).toMatchObject({ status: 401, code: "unauthorized", title: "A valid token is required." });
    const reader = caller(harness, await tokenFor(harness, ["visitors:read"]));
    expect((await reader("DELETE", `/visitors/${id}`, {}, "k")).status).toBe(403);
  });

  it("requires an Idempotency-Key for changes, and answers a repeat without repeating the change", async () => {
    const body = { to: { visitor: id }, text: "once only" };
    expect((await call("POST", "/messages", body)).body).toMatchObject({ status: 400, code: "key_missing" });
    const answers = await Promise.all([1, 2, 3].map(() => call("POST", "/messages", body, "once")));
    expect(answers.map(({ status }) => status).every((status) => status === 202 || status === 409)).toBe(true);
    expect((await call("POST", "/messages", body, "once")).body).toMatchObject({ key: "once", text: "once only" });
    const other = await call("POST", "/messages", { ...body, text: "something else" }, "once");
    expect(other.body).toMatchObject({ status: 422, code: "key_reused" });
    await visitor.receives("once only");
    expect(harness.sandbox.outgoing().filter(({ body: text }) => text === "once only")).toHaveLength(1);
  });

  it("answers 409 while the first request with a key is under way, and runs it once", async () => {
    const { latencyMs, errorRate } = harness.sandbox.config;
    // The service answers when its time passes.
    harness.sandbox.configure({ latencyMs: 1_500, errorRate: [], clock: "virtual" });
    const create = () => call("POST", "/contacts", { email: "slow@b.example" }, "slow-1");
    const both = [create(), create()];
    expect((await Promise.race(both)).status).toBe(409);
    const answered: Answer[] = [];
    for (const each of both) void each.then((answer) => answered.push(answer));
    await expect.poll(() => harness.sandbox.advance(1_500).then(() => answered.length)).toBe(2);
    const answers = await Promise.all(both);
    harness.sandbox.configure({ latencyMs, errorRate, clock: "real" });
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: "key_busy" });
    expect((await create()).body).toEqual(answers.find(({ status }) => status === 200)?.body);
  });

  it("names every invalid field, and the allowed values", async () => {
    const answer = await call("POST", "/credits/grants", { email: "nobody", amount: "5", colour: "red" }, "f-1");
    expect(answer.body).toMatchObject({
      status: 400,
      code: "invalid_field",
      field: "email",
      detail: "email must be an email address.",
      errors: [
        { field: "email", detail: "email must be an email address." },
        { field: "amount", detail: "amount must be a number." },
        { field: "colour", detail: "colour is not a known field." },
      ],
    });
    const detailOf = async (path: string, body: object) => (await call("POST", path, body, "f-0")).body.detail;
    expect(await detailOf("/messages", { text: "Hi" })).toBe(
      'to must be {"visitor": id} or {"user": your own id of a person}.',
    );
    expect(await detailOf("/messages", { to: { user: "7" }, text: " " })).toBe("text must not be empty.");
    expect(await detailOf("/messages", { to: { user: "7" } })).toBe("text is required.");
    expect((await call("GET", "/visitors?limit=900")).body.detail).toBe("limit must be at most 200.");
    expect((await call("GET", "/credits/grants?state=lost")).body.detail).toMatch(/must be one of waiting, queued/);
    expect((await call("POST", "/credits/grants", { email: EMAIL, amount: 5 }, "f-1")).status).toBe(202);
  });

  it("distinguishes unknown paths, wrong methods and missing tokens", async () => {
    const nowhere = await call("GET", "/visitor");
    expect([nowhere.status, nowhere.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
    expect(nowhere.body.detail).toContain("/api");
    const other = await call("PUT", `/visitors/${id}`, {}, "m-0");
    expect([other.status, other.headers.get("allow")]).toEqual([405, "GET, DELETE"]);
    const nobody = await caller(harness, "")("GET", "/visitors");
    expect(nobody.headers.get("www-authenticate")).toMatch(/^Bearer/);
  });

  it("describes itself as OpenAPI 3.1 and as a page: every named operation exists and requires its scope", async () => {
    const document = (await (await fetch(`${harness.url}/openapi.json`)).json()) as {
      openapi: string;
      paths: Record<string, Record<string, { security: { token: string[] }[] }>>;
    };
    expect(document.openapi).toBe("3.1.0");
    const powerless = caller(harness, await tokenFor(harness, []));
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { security }] of Object.entries(methods)) {
        const answer = await powerless(method.toUpperCase(), path.replace("/api/v1", "").replaceAll(/\{\w+\}/g, "x"));
        expect(answer.body, `${method} ${path}`).toMatchObject({
          code: "forbidden",
          detail: expect.stringContaining(String(security[0]?.token[0])),
        });
      }
    }
    const page = await (await fetch(`${harness.url}/api`)).text();
    expect(page).toContain("/api/v1/credits/grants");
  });
});

describe("visitors over the API", () => {
  it("are listed page by page, with the transcript in order", async () => {
    expect(items(await call("GET", "/visitors"))).toMatchObject([{ id, contactId: expect.any(String) }]);
    const newest = await call("GET", `/visitors/${id}/messages?limit=1`);
    const older = await call("GET", `/visitors/${id}/messages?cursor=${newest.body.next}`);
    const all = [...items(older), ...items(newest)];
    expect(all.slice(0, 2)).toMatchObject([
      { from: "visitor", text: "hello", state: "delivered" },
      { from: "reply", text: "echo: hello", state: null },
    ]);
    expect(all.map(({ position }) => Number(position)).every((n, i, list) => i === 0 || n > Number(list[i - 1]))).toBe(
      true,
    );
  });

  it("of another site do not exist", async () => {
    expect((await call("GET", "/visitors/v_nobody")).status).toBe(404);
    const other = caller(harness, await tokenFor(harness, SCOPES, "other"));
    expect(items(await other("GET", "/visitors"))).toEqual([]);
    for (const path of ["", "/messages", "/export"])
      expect((await other("GET", `/visitors/${id}${path}`)).status).toBe(404);
    expect((await other("DELETE", `/visitors/${id}`, undefined, "o-1")).status).toBe(404);
    expect(
      (await other("POST", "/messages", { to: { visitor: id }, text: "from next door" }, "o-2")).body,
    ).toMatchObject({
      status: 404,
      field: "to",
    });
    expect((await call("GET", "/visitors?cursor=bm9uc2Vuc2U")).body).toMatchObject({ status: 400, field: "cursor" });
  });

  it("are exported completely, and erased permanently (R-902)", async () => {
    const other = harness.visitor();
    await other.connect();
    await other.send("forget me");
    await other.receives("echo: forget me");
    const gone = harness.sandbox.messages().find(({ body }) => body === "forget me")?.fromId ?? "";
    const { body } = await call("GET", `/visitors/${gone}/export`);
    expect(body.messages).toMatchObject([{ text: "forget me" }, { text: "echo: forget me" }]);
    // Each state of a message takes a number of the log, so the count is not the newest number.
    expect(body.visitor).toMatchObject({ messages: 2 });
    expect((await call("DELETE", `/visitors/${gone}`, undefined, "e-1")).status).toBe(204);
    expect((await call("GET", `/visitors/${gone}`)).status).toBe(404);
    expect((await call("DELETE", `/visitors/${gone}`, undefined, "e-1")).status).toBe(204);
  });
});

describe("contacts over the API", () => {
  it("are found or created once, with the country code of the site in the phone number, and added to lists once (C11)", async () => {
    const body = { firstName: "Ada", phone: "030 1234567", lists: ["leads"] };
    // This test counts the calls to the service.
    harness.sandbox.configure(NO_RANDOM_FAULTS);
    const made = await call("POST", "/contacts", body, "c-1");
    expect(made.body).toMatchObject({ created: true, contact: { phone: "+49301234567", firstName: "Ada" } });
    const again = await call("POST", "/contacts", { ...body, firstName: "Other" }, "c-2");
    expect(again.body).toMatchObject({ created: false, contact: made.body.contact });
    const contact = made.body.contact as { id: string };
    expect(harness.sandbox.state().lists.leads).toEqual([contact.id]);
    const added = () => harness.sandbox.requests().filter(({ route }) => route === "addToList");
    expect(added()).toHaveLength(1);
    // A caller who names the contact may know that a person removed it from the list, so this call is made each time.
    expect((await call("POST", "/lists/leads/contacts", { contactId: contact.id }, "c-3")).status).toBe(204);
    expect(added()).toHaveLength(2);
    harness.sandbox.configure(NO_UNKNOWN_OUTCOMES);
    expect((await call("GET", "/contacts?phone=%2B49301234567")).body).toEqual(contact);
  });

  it("with one email, requested five times at once, become one contact", async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((i) => call("POST", "/contacts", { email: "e@f.example" }, `m-${i}`)),
    );
    expect(new Set(answers.map(({ body }) => (body.contact as { id: string }).id)).size).toBe(1);
  });

  it("report the error: a phone without a country, an unknown list, an unknown contact", async () => {
    expect((await call("POST", "/contacts", { phone: "12" }, "p-1")).body).toMatchObject({
      code: "invalid_phone",
      field: "phone",
    });
    expect((await call("POST", "/lists/none/contacts", { contactId: "x" }, "l-1")).body).toMatchObject({
      status: 422,
      code: "refused_upstream",
      detail: "List not found",
    });
    expect((await call("GET", "/contacts?email=nobody@f.example")).status).toBe(404);
  });
});

describe("credits over the API", () => {
  it("are granted once per key without a time limit, and the ledger shows every step", async () => {
    const before = harness.sandbox.state().grants.length;
    const body = { email: EMAIL, amount: 12.5, note: "Invoice 7" };
    expect((await call("POST", "/credits/grants", body, "g-1")).body).toMatchObject({ key: "g-1", state: "queued" });
    await expect.poll(async () => (await call("GET", "/credits/grants/g-1")).body.state).toBe("granted");
    const { body: grant } = await call("GET", "/credits/grants/g-1");
    expect((grant.history as { state: string }[]).map(({ state }) => state)).toEqual(["queued", "calling", "granted"]);
    const second = caller(harness, await tokenFor(harness));
    expect((await second("POST", "/credits/grants", { ...body, amount: 13 }, "g-1")).status).toBe(422);
    expect(harness.sandbox.state().grants.length).toBe(before + 1);
    expect((await call("POST", "/credits/grants", { ...body, amount: 101 }, "g-2")).body).toMatchObject({
      code: "invalid_amount",
    });
  });

  it("are refused when the amount has more than two decimals (R-245)", async () => {
    const before = harness.sandbox.state().grants.length;
    for (const amount of [1e-9, 10.000000001]) {
      const order = { email: EMAIL, amount };
      expect((await call("POST", "/credits/grants", order, `fine-${amount}`)).body).toMatchObject({
        status: 422,
        code: "invalid_amount",
      });
    }
    expect(harness.sandbox.state().grants).toHaveLength(before);
  });

  it("answer a decision about an unknown key with 404, as messages do", async () => {
    const decisions = [
      ["/credits/grants/no-such/approve", { amount: 1 }],
      ["/credits/grants/no-such/dismiss", {}],
      ["/credits/grants/no-such/resolve", { granted: true }],
      ["/messages/no-such/resolve", { sent: true }],
    ] as const;
    for (const [path, decision] of decisions)
      expect((await call("POST", path, { ...decision, reason: "words" }, path)).body).toMatchObject({
        status: 404,
        code: "not_found",
      });
  });

  it("wait for approval after an auto-recharge, until a person settles them", async () => {
    const recharge = harness.callbackUrl.replace("/reply/", "/recharge/");
    const event = { idempotency_key: "r-1", email: EMAIL, amount: 30 };
    await fetch(recharge, { method: "POST", body: JSON.stringify(event) });
    expect(items(await call("GET", "/credits/grants?state=waiting"))).toMatchObject([{ key: "r-1", amount: 30 }]);
    harness.sandbox.failNext("credits", 1, { kind: "resetConnection", when: "after" });
    expect((await call("POST", "/credits/grants/r-1/approve", { reason: "paid" }, "a-1")).status).toBe(200);
    await expect.poll(async () => (await call("GET", "/credits/grants/r-1")).body.state).toBe("unknown");
    expect((await call("POST", "/credits/grants/r-1/approve", { reason: "again" }, "a-2")).body).toMatchObject({
      code: "wrong_state",
    });
    const ended = await call("POST", "/credits/grants/r-1/resolve", { granted: true, reason: "in the history" }, "a-3");
    expect(ended.body).toMatchObject({ state: "granted", reason: "in the history" });
    expect(harness.sandbox.state().grants.filter(({ amount }) => amount === 30)).toHaveLength(1);
  });
});

describe("deliveries over the API", () => {
  it("show what the service refused, and send it again on request", async () => {
    harness.sandbox.failNext("incoming", 1, 400);
    const { id: message } = await visitor.send("refused at first");
    await expect.poll(async () => items(await call("GET", "/deliveries?state=failed")).length).toBe(1);
    const failed = { visitor: id, message, state: "failed", attempts: 1, due: null, reason: "rejected" };
    expect(items(await call("GET", "/deliveries"))).toMatchObject([
      { ...failed, error: expect.stringMatching(/^400: /) },
    ]);
    expect(items(await call("GET", "/deliveries?state=waiting"))).toEqual([]);
    expect((await call("POST", `/deliveries/${id}/${message}/retry`, {}, "d-1")).body).toMatchObject({ state: "sent" });
    await visitor.receives("echo: refused at first");
    await delivered("refused at first");
    expect(items(await call("GET", "/deliveries?state=failed"))).toEqual([]);
    expect(items(await call("GET", "/deliveries"))).toEqual([]);
  });
});

it("describes the file of a message, with a working link", async () => {
  const person = harness.visitor();
  await person.connect();
  const { answer } = await upload(harness, person, PNG, { name: "lamp.png" });
  await person.send("this one", undefined, { media: answer.key });
  await person.receives("echo: this one");
  const to = harness.sandbox.messages().find(({ body }) => body === "this one")?.fromId;
  const messages = items(await call("GET", `/visitors/${to}/messages`));
  const file = { type: "image/png", name: "lamp.png", size: PNG.length };
  expect(messages).toMatchObject([
    { text: "this one", file },
    { text: "echo: this one", file: null },
  ]);
  const [{ file: sent } = {}] = messages;
  const { url } = Object(sent) as { url: string };
  expect(await (await fetch(new URL(url, harness.url))).bytes()).toEqual(new Uint8Array(PNG));
});
