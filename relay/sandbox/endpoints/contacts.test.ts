import { describe, expect, it } from "vitest";
import { type Bench, setUp } from "../sandbox.fixture.ts";

const general = (code: string) => ({ error: { code, message: expect.any(String) } });
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id;

const verbs = ({ call }: Bench) => ({
  create: (body: unknown) => call("POST", "/contacts", { body }),
  find: (query: Record<string, string>) => call("GET", "/contacts", { query }),
  list: (listId: string, body: unknown) => call("POST", `/lists/${listId}/contacts`, { body }),
});

describe("POST /contacts (BEHAVIOUR 4.3)", () => {
  it("R-421 creates a contact with 201 and answers with the contact itself", async () => {
    const { create } = verbs(await setUp());
    const { status, body } = await create({
      firstName: "Ada",
      lastName: "King",
      phone: "+4791234567",
      email: "a@b.example",
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      firstName: "Ada",
      lastName: "King",
      phone: "+4791234567",
      email: "a@b.example",
      createdAt: expect.stringMatching(ISO),
    });
  });

  it("R-210 omits absent fields, or writes null when the option says so", async () => {
    const bench = await setUp();
    const { create } = verbs(bench);
    expect(Object.keys((await create({ email: "a@b.example" })).body as object).sort()).toEqual([
      "createdAt",
      "email",
      "id",
    ]);
    bench.sandbox.configure({ nullsForMissing: true });
    expect((await create({ email: "c@b.example" })).body).toMatchObject({
      firstName: null,
      lastName: null,
      phone: null,
    });
  });

  it("answers a known phone with 200 and the existing contact, unchanged (R-205)", async () => {
    const { create } = verbs(await setUp());
    const first = await create({ phone: "+4791234567", firstName: "Ada" });
    const again = await create({ phone: "+4791234567", firstName: "Grace", email: "g@b.example" });
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
  });

  it("R-205 stores the new names when mergeOnDuplicate is on", async () => {
    const { create, find } = verbs(await setUp({ mergeOnDuplicate: true }));
    await create({ phone: "+4791234567", firstName: "Ada", email: "old@b.example" });
    const merged = await create({ phone: "+4791234567", firstName: "Grace", email: "new@b.example" });
    expect(merged.body).toMatchObject({ firstName: "Grace", email: "new@b.example" });
    expect([(await find({ email: "new@b.example" })).status, (await find({ email: "old@b.example" })).status]).toEqual([
      200, 404,
    ]);
  });

  it("R-204 creates a second contact for a known email without a phone, or the same with dedupeByEmail", async () => {
    const bench = await setUp();
    const { create } = verbs(bench);
    const first = await create({ email: "a@b.example" });
    const second = await create({ email: "A@b.example" });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(idOf(second)).not.toBe(idOf(first));
    bench.sandbox.configure({ dedupeByEmail: true });
    expect(idOf(await create({ email: "a@B.example" }))).toBe(idOf(first));
  });

  it("R-425 prefers the phone over another contact's email", async () => {
    const { create } = verbs(await setUp());
    const byPhone = await create({ phone: "+4791234567" });
    await create({ email: "a@b.example" });
    const both = await create({ phone: "+4791234567", email: "a@b.example" });
    expect([both.status, idOf(both)]).toEqual([200, idOf(byPhone)]);
  });

  it("R-423 R-424 refuses a contact with neither phone nor email, or with blank ones", async () => {
    const { create } = verbs(await setUp());
    for (const body of [{}, { firstName: "Ada" }, { phone: "", email: "  " }, { phone: "\u200b" }]) {
      const answer = await create(body);
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body: general("VALIDATION") });
    }
  });

  it("R-201 R-702 refuses a phone without + and country code as INVALID_PHONE", async () => {
    const { create } = verbs(await setUp());
    const wrong = [
      "91234567",
      "004791234567",
      "+0791234567",
      "+47 912 34 567",
      "+47abc4567",
      "+12345",
      "+1234567890123456",
      "+",
    ];
    for (const phone of wrong) {
      const { status, body } = await create({ phone });
      expect({ phone, status, body }).toEqual({ phone, status: 400, body: general("INVALID_PHONE") });
    }
    expect((await create({ phone: " +4791234567 " })).body).toMatchObject({ phone: "+4791234567" });
  });

  it("R-201 accepts separators with phoneStrictness plusOnly, and national prefixes with strip", async () => {
    const bench = await setUp({ phoneStrictness: "plusOnly" });
    const { create } = verbs(bench);
    expect((await create({ phone: "+47 912-34 567" })).body).toMatchObject({ phone: "+47 912-34 567" });
    expect((await create({ phone: "0047 912 34 567" })).status).toBe(400);
    bench.sandbox.configure({ phoneStrictness: "strip" });
    expect((await create({ phone: "00(44) 20 7946 0000" })).body).toMatchObject({ phone: "+442079460000" });
  });

  it("R-202 compares phones normalised, exactly, or by digits", async () => {
    const bench = await setUp({ phoneStrictness: "plusOnly" });
    const { create } = verbs(bench);
    const first = await create({ phone: "+47 91 23 45 67" });
    expect(idOf(await create({ phone: "+4791234567" }))).toBe(idOf(first));
    const exact = verbs(await setUp({ phoneStrictness: "plusOnly", phoneMatch: "exact" }));
    const spaced = await exact.create({ phone: "+47 91 23 45 67" });
    expect(idOf(await exact.create({ phone: "+4791234567" }))).not.toBe(idOf(spaced));
    const digits = verbs(await setUp({ phoneMatch: "digits" }));
    expect(idOf(await digits.create({ phone: "+4791234567" }))).toBe(
      idOf(await digits.create({ phone: "+4791234567" })),
    );
  });

  it("R-203 R-426 refuses a malformed email, also beside a valid phone, unless emailValidation is off", async () => {
    const bench = await setUp();
    const { create } = verbs(bench);
    for (const email of [
      "nobody",
      "a@b",
      "a b@c.example",
      "@b.example",
      "a@.example",
      `${"x".repeat(250)}@b.example`,
    ]) {
      const { status, body } = await create({ email, phone: "+4791234567" });
      expect({ email, status, body }).toEqual({ email, status: 400, body: general("INVALID_EMAIL") });
    }
    bench.sandbox.configure({ emailValidation: "off" });
    expect((await create({ email: "nobody" })).status).toBe(201);
  });

  it("R-010 refuses fields that are not strings", async () => {
    const { create } = verbs(await setUp());
    for (const wrong of [{ phone: 4791234567 }, { email: {} }, { firstName: 1 }, { lastName: null }]) {
      expect((await create({ email: "a@b.example", ...wrong })).body).toEqual(general("VALIDATION"));
    }
  });

  it("R-209 refuses names longer than maxNameChars", async () => {
    const { create } = verbs(await setUp({ maxNameChars: 5 }));
    expect((await create({ email: "a@b.example", firstName: "Augusta" })).status).toBe(400);
    expect((await create({ email: "a@b.example", firstName: "Ada" })).status).toBe(201);
  });

  it("gives two identical requests in parallel one 201, one 200 and one contact", async () => {
    const bench = await setUp();
    const { create } = verbs(bench);
    const both = await Promise.all([create({ phone: "+4791234567" }), create({ phone: "+4791234567" })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(new Set(both.map(idOf)).size).toBe(1);
    expect(bench.sandbox.state().contacts).toHaveLength(1);
  });

  it("R-421 answers new and existing contacts with the statuses the options name, always with one id", async () => {
    const bench = await setUp({ createStatus: 200, existingStatus: 201 });
    const { create } = verbs(bench);
    const first = await create({ phone: "+4791234567" });
    const again = await create({ phone: "+4791234567" });
    expect([first.status, again.status, idOf(again)]).toEqual([200, 201, idOf(first)]);
    bench.sandbox.configure({ existingStatus: 409 });
    const conflict = await create({ phone: "+4791234567" });
    expect([conflict.status, conflict.body]).toEqual([409, { ...general("ALREADY_EXISTS"), contactId: idOf(first) }]);
    bench.sandbox.configure({ existingStatus: "soft409" });
    const soft = await create({ phone: "+4791234567" });
    expect(soft.status).toBe(200);
    expect(soft.body).toMatchObject({ success: false, error_code: 409, contactId: idOf(first) });
  });

  it("R-422 wraps, renames or reduces the answer as createShape says", async () => {
    const bench = await setUp();
    const { create } = verbs(bench);
    const id = idOf(await create({ phone: "+4791234567" }));
    const shaped = async (createShape: "wrapped" | "idOnly" | "renamed") => {
      bench.sandbox.configure({ createShape });
      return (await create({ phone: "+4791234567" })).body;
    };
    expect(await shaped("wrapped")).toMatchObject({ success: true, data: { id } });
    expect(await shaped("idOnly")).toEqual({ success: true, contactId: id });
    expect(await shaped("renamed")).toMatchObject({ contact_id: id, phone: "+4791234567" });
  });

  it("R-207 fills unknown fields with placeholders when the option says so", async () => {
    const { create } = verbs(await setUp({ placeholders: true }));
    expect((await create({ phone: "+4791234567" })).body).toMatchObject({
      firstName: "Unknown",
      lastName: "Unknown",
      email: "unknown@unknown.com",
    });
  });
});

describe("GET /contacts (BEHAVIOUR 4.4)", () => {
  it("finds by phone and by email in any letter case", async () => {
    const { create, find } = verbs(await setUp());
    const { body } = await create({ phone: "+4791234567", email: "Ada@b.example" });
    expect(await find({ phoneNumber: "+4791234567" })).toMatchObject({ status: 200, body });
    expect(await find({ email: "ada@B.example" })).toMatchObject({ status: 200, body });
  });

  it("R-432 answers 404 for no result, or the status that lookupNotFound names", async () => {
    const bench = await setUp();
    const { find } = verbs(bench);
    const nobody = async () => {
      const { status, body } = await find({ email: "nobody@b.example" });
      return { status, body };
    };
    expect(await nobody()).toEqual({ status: 404, body: general("NOT_FOUND") });
    bench.sandbox.configure({ lookupNotFound: "200null" });
    expect(await nobody()).toEqual({ status: 200, body: null });
    bench.sandbox.configure({ lookupNotFound: "200empty" });
    expect(await nobody()).toEqual({ status: 200, body: {} });
    bench.sandbox.configure({ lookupNotFound: "200false" });
    expect(await nobody()).toMatchObject({ status: 200, body: { success: false } });
  });

  it("R-434 refuses a look-up whose parameter is missing or blank", async () => {
    const { find } = verbs(await setUp());
    for (const query of [{}, { email: " " }, { phoneNumber: "" }]) {
      expect(await find(query)).toMatchObject({ status: 400, body: general("VALIDATION") });
    }
  });

  it("R-433 refuses a raw + in the query as INVALID_PHONE, or accepts it when rawPlusOk is on", async () => {
    const bench = await setUp();
    const { create } = verbs(bench);
    await create({ phone: "+4791234567" });
    const { url, config } = bench.sandbox;
    const raw = () => fetch(`${url}/contacts?phoneNumber=+4791234567&apiKey=${encodeURIComponent(config.apiKey)}`);
    const refused = await raw();
    expect([refused.status, await refused.json()]).toEqual([400, general("INVALID_PHONE")]);
    bench.sandbox.configure({ rawPlusOk: true });
    expect((await raw()).status).toBe(200);
  });

  it("R-201 refuses a phone that is not E.164", async () => {
    const { find } = verbs(await setUp());
    expect(await find({ phoneNumber: "91234567" })).toMatchObject({ status: 400, body: general("INVALID_PHONE") });
  });

  it("R-434 uses the phone when both are given", async () => {
    const { create, find } = verbs(await setUp());
    const { body } = await create({ phone: "+4791234567" });
    await create({ email: "a@b.example" });
    expect(await find({ phoneNumber: "+4791234567", email: "a@b.example" })).toMatchObject({ status: 200, body });
    expect((await find({ phoneNumber: "+4791111111", email: "a@b.example" })).status).toBe(404);
  });

  it("R-435 returns the oldest of several contacts with one email, or the newest when the option says so", async () => {
    const bench = await setUp();
    const { create, find } = verbs(bench);
    const oldest = await create({ email: "a@b.example" });
    const newest = await create({ email: "a@b.example" });
    expect(idOf(await find({ email: "a@b.example" }))).toBe(idOf(oldest));
    bench.sandbox.configure({ emailMatch: "newest" });
    expect(idOf(await find({ email: "a@b.example" }))).toBe(idOf(newest));
  });

  it("R-431 answers in the shape that lookupShape names", async () => {
    const bench = await setUp();
    const { create, find } = verbs(bench);
    const created = (await create({ phone: "+4791234567", firstName: "Ada" })).body as Record<string, unknown>;
    const shaped = async (lookupShape: "wrapped" | "idOnly" | "array" | "observed") => {
      bench.sandbox.configure({ lookupShape });
      return (await find({ phoneNumber: "+4791234567" })).body;
    };
    expect(await shaped("wrapped")).toEqual({ success: true, data: created });
    expect(await shaped("idOnly")).toEqual({ success: true, contactId: created.id });
    expect(await shaped("array")).toEqual([created]);
    const { phone, ...rest } = created;
    expect(await shaped("observed")).toEqual({
      success: true,
      contactId: created.id,
      contact: { ...rest, phoneNumber: phone },
    });
  });
});

describe("POST /lists/{listId}/contacts (BEHAVIOUR 4.5)", () => {
  const withContact = async (config = {}) => {
    const bench = await setUp(config);
    bench.sandbox.seed({ lists: ["leads", "a/b ü"] });
    const contactId = idOf(await verbs(bench).create({ email: "a@b.example" }));
    return { ...bench, ...verbs(bench), contactId };
  };

  it("R-441 adds a contact with 200, or the status that listAddStatus names", async () => {
    const { list, contactId, sandbox } = await withContact();
    expect(await list("leads", { contactId })).toMatchObject({ status: 200, body: { success: true } });
    expect(sandbox.state().lists).toEqual({ leads: [contactId], "a/b ü": [] });
    sandbox.configure({ listAddStatus: 204 });
    expect(await list("leads", { contactId })).toMatchObject({ status: 204, text: "" });
    sandbox.configure({ listAddStatus: 201 });
    expect((await list("leads", { contactId })).status).toBe(201);
  });

  it("R-243 accepts a member again, or refuses it as listDuplicate says", async () => {
    const { list, contactId, sandbox } = await withContact();
    await list("leads", { contactId });
    expect(await list("leads", { contactId })).toMatchObject({ status: 200, body: { success: true } });
    expect(sandbox.state().lists.leads).toEqual([contactId]);
    sandbox.configure({ listDuplicate: 409 });
    expect(await list("leads", { contactId })).toMatchObject({ status: 409, body: general("ALREADY_EXISTS") });
    sandbox.configure({ listDuplicate: 400 });
    expect(await list("leads", { contactId })).toMatchObject({ status: 400, text: expect.stringContaining("already") });
  });

  it("R-442 distinguishes an unknown list from an unknown contact, both with 404", async () => {
    const { list, contactId } = await withContact();
    const unknownList = await list("nowhere", { contactId });
    const unknownContact = await list("leads", { contactId: "nobody" });
    expect([unknownList.status, unknownContact.status]).toEqual([404, 404]);
    expect(unknownList.body).toEqual({ error: { code: "NOT_FOUND", message: "List not found" } });
    expect(unknownContact.body).toEqual({ error: { code: "NOT_FOUND", message: "Contact not found" } });
  });

  it("refuses a contactId that is missing, blank or not a string", async () => {
    const { list } = await withContact();
    for (const body of [{}, { contactId: " " }, { contactId: 7 }, { contactId: null }]) {
      expect(await list("leads", body)).toMatchObject({ status: 400, body: general("VALIDATION") });
    }
  });

  it("decodes the list id, and refuses one that is not well encoded", async () => {
    const { list, contactId } = await withContact();
    expect((await list(encodeURIComponent("a/b ü"), { contactId })).status).toBe(200);
    expect((await list("%E0%A4%A", { contactId })).status).toBe(400);
  });
});
