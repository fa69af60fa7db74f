import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runFast } from "../clocks.ts";
import { type Harness, NO_RANDOM_FAULTS, startHarness } from "../harness.ts";
import { caller, tokenFor } from "../tokens.ts";

let harness: Harness;
let call: ReturnType<typeof caller>;
beforeEach(async () => {
  harness = await startHarness({ run: runFast(20), sandbox: NO_RANDOM_FAULTS, site: { leads: { country: "DE" } } });
  call = caller(harness, await tokenFor(harness));
});
afterEach(() => harness.stop());

const contacts = () => harness.sandbox.state().contacts;
const idIn = (body: Record<string, unknown>): string => (body.contact as { id: string }).id;
/** The next look-up finds no contact, as when two calls find and create at the same time. */
const missNext = () =>
  harness.sandbox.failNext("findContact", 1, {
    kind: "status",
    status: 404,
    body: { error: { code: "NOT_FOUND", message: "Contact not found" } },
  });

const CREATED = [201, 200] as const;
const EXISTING = [200, 201, 409, "soft409"] as const;
const SHAPES = ["contact", "wrapped", "idOnly", "renamed"] as const;
const ANSWERS = CREATED.flatMap((createStatus) =>
  SHAPES.flatMap((createShape) => EXISTING.map((existingStatus) => ({ createStatus, createShape, existingStatus }))),
);

describe("creating a contact (4.13-1; R-421, R-422)", () => {
  it(`gives one id, new or known, for each of ${ANSWERS.length} ways to answer`, async () => {
    for (const [i, answer] of ANSWERS.entries()) {
      harness.sandbox.configure({ ...answer, lookupShape: "contact" });
      const phone = `+4930123${1000 + i}`;
      const made = await call("POST", "/contacts", { phone, firstName: "Ada" }, `made-${i}`);
      missNext();
      const again = await call("POST", "/contacts", { phone, firstName: "Other" }, `again-${i}`);
      const [id] = contacts()
        .filter((contact) => contact.phone === phone)
        .map((contact) => contact.id);
      expect([answer, made.status, idIn(made.body), again.status, idIn(again.body)]).toEqual([
        answer,
        ...[200, id, 200, id],
      ]);
      expect(made.body.contact).toMatchObject({ phone, firstName: "Ada" });
    }
    expect(contacts()).toHaveLength(ANSWERS.length);
  });

  it("looks the id up when the service only answers that the contact exists (409)", async () => {
    harness.sandbox.configure({ existingStatus: 409, responseOmit: ["contactId"] });
    const made = await call("POST", "/contacts", { phone: "+49301234567" }, "a");
    missNext();
    const conflict = { kind: "status", status: 409, body: { error: { code: "EXISTS", message: "exists" } } } as const;
    harness.sandbox.failNext("createContact", 1, conflict);
    const again = await call("POST", "/contacts", { phone: "+49301234567" }, "b");
    expect([idIn(again.body), again.body.created]).toEqual([idIn(made.body), false]);
  });

  it("returns the contact with the phone when the email belongs to another one (R-425, R-205)", async () => {
    const phone = await call("POST", "/contacts", { phone: "+49301234567", firstName: "Ada" }, "a");
    await call("POST", "/contacts", { email: "eve@b.example" }, "b");
    const both = await call("POST", "/contacts", { phone: "+49301234567", email: "eve@b.example" }, "c");
    expect([idIn(both.body), both.body.created]).toEqual([idIn(phone.body), false]);
    expect(contacts()).toHaveLength(2);
  });

  it("is refused without a valid phone or email, before the service is called (R-423, R-424)", async () => {
    for (const [i, body] of [{ firstName: "Ada" }, { email: " " }, { phone: "" }, { email: "nobody" }].entries())
      expect((await call("POST", "/contacts", body, `k-${i}`)).status).toBeGreaterThanOrEqual(400);
    expect(harness.sandbox.requests()).toEqual([]);
  });
});

const LOOKUPS = ["contact", "wrapped", "idOnly", "array", "observed"] as const;
const NOT_FOUND = [404, "200null", "200empty", "200false"] as const;

describe("looking a contact up (4.13-2; R-431, R-432)", () => {
  it("parses every shape of the answer", async () => {
    const made = await call("POST", "/contacts", { email: "ada@b.example", firstName: "Ada" }, "a");
    for (const lookupShape of LOOKUPS) {
      harness.sandbox.configure({ lookupShape });
      const { status, body } = await call("GET", "/contacts?email=ADA%40b.example");
      expect([lookupShape, status, body.id]).toEqual([lookupShape, 200, idIn(made.body)]);
      if (lookupShape !== "idOnly") expect(body).toMatchObject({ firstName: "Ada", email: "ada@b.example" });
    }
  });

  it("recognises four answers without a result, and distinguishes them from errors", async () => {
    for (const lookupNotFound of NOT_FOUND) {
      harness.sandbox.configure({ lookupNotFound });
      const { status } = await call("GET", "/contacts?email=nobody%40b.example");
      expect([lookupNotFound, status]).toEqual([lookupNotFound, 404]);
    }
    for (const fault of [500, 403, { kind: "htmlError", status: 404 }] as const) {
      harness.sandbox.failNext("findContact", 1, fault);
      expect((await call("GET", "/contacts?email=nobody%40b.example")).status).toBe(502);
    }
  });

  it("accepts ids that are numbers, and ignores nulls and placeholders (R-009, R-207, R-208, R-210)", async () => {
    harness.sandbox.configure({ numericIds: true, nullsForMissing: true, placeholders: true });
    const made = await call("POST", "/contacts", { email: "ada@b.example" }, "a");
    expect(made.body.contact).toMatchObject({ id: expect.stringMatching(/^\d+$/), firstName: null, lastName: null });
    const created = { _seconds: 1_700_000_000 };
    harness.sandbox.configure({ responseExtras: { createdAt: created, tags: ["x"], email: "unknown@unknown.com" } });
    const { status, body } = await call("GET", "/contacts?email=ada%40b.example");
    expect([status, body]).toEqual([
      200,
      { id: idIn(made.body), firstName: null, lastName: null, phone: null, email: null },
    ]);
  });

  it("percent-encodes the plus of a phone and of an email (4.13-3; R-433)", async () => {
    await call("POST", "/contacts", { phone: "+49301234567", email: "ada+news@b.example" }, "a");
    expect((await call("GET", "/contacts?phone=%2B49301234567")).body).toMatchObject({ phone: "+49301234567" });
    expect((await call("GET", "/contacts?email=ada%2Bnews%40b.example")).body).toMatchObject({ phone: "+49301234567" });
    const lookups = harness.sandbox.requests().filter(({ route }) => route === "findContact");
    expect(lookups.at(-1)?.path).toContain("email=ada%2Bnews%40b.example");
    expect(lookups.at(-2)?.path).toContain("phoneNumber=%2B49301234567");
  });
});

describe("adding to a list (R-243, R-441, R-442)", () => {
  it("succeeds with every known answer to the first and to the second call", async () => {
    harness.sandbox.seed({ lists: ["a b/c?"] });
    const made = await call("POST", "/contacts", { email: "ada@b.example" }, "a");
    for (const listAddStatus of [200, 201, 204] as const)
      for (const listDuplicate of [200, 409, 400] as const) {
        harness.sandbox.configure({ listAddStatus, listDuplicate });
        const path = `/lists/${encodeURIComponent("a b/c?")}/contacts`;
        const key = `${listAddStatus}-${listDuplicate}`;
        expect((await call("POST", path, { contactId: idIn(made.body) }, key)).status).toBe(204);
      }
    expect(harness.sandbox.state().lists["a b/c?"]).toEqual([idIn(made.body)]);
  });

  it("distinguishes an unknown list from an unknown contact", async () => {
    harness.sandbox.seed({ lists: ["leads"] });
    expect((await call("POST", "/lists/none/contacts", { contactId: "x" }, "a")).body.detail).toBe("List not found");
    expect((await call("POST", "/lists/leads/contacts", { contactId: "x" }, "b")).body.detail).toBe(
      "Contact not found",
    );
  });
});
