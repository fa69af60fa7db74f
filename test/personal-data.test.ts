/**
 * Personal data from people and backends is cleaned once, by the same rules at every input, before the service gets it (R-203,
 *
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Harness, NO_RANDOM_FAULTS, startHarness } from "./harness.ts";
import { porchlight } from "./shell.ts";
import { caller, tokenFor } from "./tokens.ts";

const DIRTY = { firstName: "A\0da", lastName: "Lo\ud800ve\nlace", email: " Ada.L@EXAMPLE.Com " };
const CLEAN = { firstName: "A da", lastName: "Lo\ufffdve lace", email: "Ada.L@example.com" };

let harness: Harness;
let call: ReturnType<typeof caller>;
beforeAll(async () => {
  harness = await startHarness({
    sandbox: NO_RANDOM_FAULTS,
    site: { leads: { country: "DE" } },
    account: { credits: {} },
  });
  harness.sandbox.seed({ lists: ["l1", "l2"], subAccounts: [{ email: "client@agency.example" }] });
  call = caller(harness, await tokenFor(harness));
});
afterAll(() => harness.stop());

const requestsTo = (route: string) => harness.sandbox.requests().filter((request) => request.route === route);
const bodies = (route: string) => requestsTo(route).map(({ body }) => body);

describe("a person's names and email", () => {
  it("are clean in a contact, from the API and from the command line", async () => {
    expect((await call("POST", "/contacts", DIRTY, "c-1")).status).toBe(200);
    expect(bodies("createContact").at(-1)).toEqual(CLEAN);
    const options = ["--email", "Bob.B@EXAMPLE.Com", "--first-name", "B\tob", "--last-name", "Unknown"];
    expect((await porchlight(harness, ["contact", "add", ...options])).code).toBe(0);
    expect(bodies("createContact").at(-1)).toEqual({ email: "Bob.B@example.com", firstName: "B ob" });
    expect((await call("GET", "/contacts?email=Ada.L@EXAMPLE.com")).body).toMatchObject(CLEAN);
  });

  it("are clean in a message from the owner, and so is its campaign", async () => {
    const order = { to: { user: "7" }, text: "two\nlines\0", campaign: " su\tmmer ", ...DIRTY };
    expect((await call("POST", "/messages", order, "m-1")).status).toBe(202);
    await expect.poll(() => bodies("send")).toHaveLength(1);
    expect(bodies("send")[0]).toEqual({
      customData: expect.objectContaining({ ...CLEAN, body: "two\nlines", campaignId: "su mmer" }),
    });
  });

  it("are clean in the credit history", async () => {
    const order = { email: "Client@agency.example", amount: 1, note: "In\0voice\n7\ud800" };
    expect((await call("POST", "/credits/grants", order, "g-1")).status).toBe(202);
    await expect.poll(() => bodies("credits")).toHaveLength(1);
    expect(bodies("credits")[0]).toMatchObject({ description: "In voice 7\ufffd [g-1]" });
  });

  it.each(["a@b", "a\0b@c.example", "a b@c.example", "@c.example", "a@c..example"])(
    "are refused at every input when the address is %j, and the error names the field",
    async (email) => {
      const before = harness.sandbox.requests().length;
      const requests: [string, object][] = [
        ["/contacts", { email }],
        ["/leads", { email }],
        ["/messages", { to: { user: "7" }, text: "hi", email }],
        ["/credits/grants", { email, amount: 1 }],
      ];
      for (const [path, body] of requests)
        expect([path, (await call("POST", path, body, `x${path}${email.length}`)).body]).toEqual([
          path,
          expect.objectContaining({ status: 400, code: "invalid_field", field: "email" }),
        ]);
      expect(harness.sandbox.requests()).toHaveLength(before);
    },
  );

  it("are refused by the command line too when the address is invalid, with the option's name", async () => {
    for (const command of [
      ["contact", "add"],
      ["contact", "find"],
      ["send", "hi", "--user", "7"],
    ]) {
      const { code, err } = await porchlight(harness, [...command, "--email", "a@b"]);
      expect([command, code !== 0, err]).toEqual([command, true, expect.stringContaining("--email")]);
    }
    const { code, err } = await porchlight(harness, ["credits", "grant", "bad", "1", "--key", "bad-1"]);
    expect([code, err]).toEqual([2, expect.stringContaining("email")]);
    expect((await call("GET", "/credits/grants/bad-1")).status).toBe(404);
  });
});

describe("a contact for several lists", () => {
  it("is added to all existing lists, and the answer names the unknown lists, the contact and its lists", async () => {
    const lists = ["l1", "missing", "l2"];
    const { status, body } = await call("POST", "/contacts", { email: "lists@b.example", lists }, "l-1");
    const contactId = harness.sandbox.state().contacts.find(({ email }) => email === "lists@b.example")?.id;
    expect([status, body]).toEqual([
      422,
      expect.objectContaining({
        code: "refused_upstream",
        field: "lists[1]",
        errors: [{ field: "lists[1]", detail: "missing: List not found" }],
        done: { contactId, lists: ["l1", "l2"] },
      }),
    ]);
    expect(harness.sandbox.state().lists).toMatchObject({ l1: [contactId], l2: [contactId] });
  });

  it("reports an unavailable service, and adds to no list twice when repeated", async () => {
    const body = { email: "later@b.example", lists: ["l1", "l2"] };
    harness.sandbox.failNext("addToList", 1, 503);
    const first = await call("POST", "/contacts", body, "l-2");
    expect([first.status, first.body]).toMatchObject([502, { field: "lists[0]", done: { lists: ["l2"] } }]);
    const before = requestsTo("addToList").length;
    expect((await call("POST", "/contacts", body, "l-2")).body).toMatchObject({ lists: ["l1", "l2"] });
    expect(requestsTo("addToList")).toHaveLength(before + 1);
  });

  it("names the field that the service refuses, of a contact and of a list", async () => {
    const refusal = { kind: "status", status: 400, body: { error: { code: "BLOCKED", message: "no" } } } as const;
    harness.sandbox.failNext("createContact", 1, refusal);
    expect((await call("POST", "/contacts", { email: "no@b.example" }, "r-1")).body).toMatchObject({
      code: "refused_upstream",
      field: "email",
    });
    expect((await call("POST", "/lists/none/contacts", { contactId: "x" }, "r-2")).body).toMatchObject({
      field: "list",
    });
  });
});
