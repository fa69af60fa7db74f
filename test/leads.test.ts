import { afterEach, describe, expect, it } from "vitest";
import { randomId } from "../shared/id.ts";
import type { Captured, ErrorFrame, Lead, RelayFrame } from "../shared/protocol.ts";
import { runFast } from "./clocks.ts";
import { type Harness, NO_RANDOM_FAULTS, PROFILE, startHarness } from "./harness.ts";
import { caller, tokenFor } from "./tokens.ts";
import type { Visitor } from "./visitor.ts";

let harness: Harness;
let visitor: Visitor;
afterEach(() => harness.stop());

async function open(leads: object = {}, sandbox: object = {}): Promise<void> {
  harness = await startHarness({
    run: runFast(20),
    sandbox,
    site: { leads: { country: "DE", lists: ["leads", "news"], ...leads } },
  });
  harness.sandbox.seed({ lists: ["leads", "news"] });
  visitor = harness.visitor();
  await visitor.connect();
}

/** Submits a form. Resolves to `lead`, or to the code of the error. */
async function fill(fields: Partial<Lead>, id = randomId()): Promise<string> {
  visitor.write({ t: "lead", id, chat: false, ...fields });
  const answers = (frame: RelayFrame): frame is Captured | ErrorFrame =>
    (frame.t === "lead" || frame.t === "error") && frame.id === id;
  const answer = await visitor.next(answers);
  return answer.t === "error" ? answer.code : answer.t;
}

const lists = () => harness.sandbox.state().lists;
const contacts = () => harness.sandbox.state().contacts;
const states = async () => {
  const { body } = await caller(harness, await tokenFor(harness))("GET", "/leads");
  return (body.items as { state: string; problem: string | null }[]).map(({ state }) => state);
};

describe("a form before the chat", () => {
  it("sends names and email once with the next message, and again when they change (R-101)", async () => {
    await open({ lists: [] });
    expect(await fill({ chat: true, firstName: "Ada", lastName: "Byron", email: "Ada@B.EXAMPLE" })).toBe("lead");
    await visitor.send("first");
    await visitor.receives("echo: first");
    await visitor.send("second");
    await visitor.receives("echo: second");
    expect(await fill({ chat: true, lastName: "Lovelace" })).toBe("lead");
    await visitor.send("third");
    await visitor.receives("echo: third");
    const sent = harness.sandbox.requests().flatMap(({ body }) => (body === undefined ? [] : [body]));
    // Groups the calls by message, because the relay repeats a call whose answer was lost.
    const about = new Map(
      sent.map((body) => {
        const { messageSid, firstName, lastName, email } = (body as { customData: Record<string, string> }).customData;
        return [messageSid, [firstName, lastName, email]];
      }),
    );
    expect([...about.values()]).toEqual([
      ["Ada", "Byron", "Ada@b.example"],
      [undefined, undefined, undefined],
      ["Ada", "Lovelace", "Ada@b.example"],
    ]);
    // The interface stores names when a contact is made; the service decides about later ones.
    const lastName = PROFILE === "lenient" ? "Lovelace" : "Byron";
    expect(contacts()).toMatchObject([{ firstName: "Ada", lastName }]);
  });

  it("adds the chat's contact to every list of the site, once its id is known", async () => {
    await open();
    await fill({ chat: true, firstName: "Ada", email: "ada@b.example" });
    await visitor.send("hello");
    await visitor.receives("echo: hello");
    await harness.sandbox.until(() => lists().news?.length === 1);
    const [contact, ...others] = contacts();
    expect([lists().leads, lists().news, others]).toEqual([[contact?.id], [contact?.id], []]);
    await expect.poll(states).toEqual(["done"]);
  });

  it("creates no second contact for a phone unless the owner wants one (R-206)", async () => {
    await open({ lists: [] });
    await fill({ chat: true, firstName: "Ada", phone: "030 1234567" });
    await visitor.send("hello");
    await visitor.receives("echo: hello");
    expect(contacts()).toHaveLength(1);
    expect(harness.sandbox.requests().filter(({ route }) => route === "createContact")).toEqual([]);
  });
});

describe("a number that the service refuses", () => {
  const refusal = (code: string) =>
    ({ kind: "status", status: 400, body: { error: { code, message: "no such number" } } }) as const;
  const errorFor = (id: string) => (frame: RelayFrame) => frame.t === "error" && frame.id === id;
  const phones = { lists: ["leads"], phoneContact: true };
  const PHONE = { firstName: "Ada", phone: "+4930123456" };

  it("is reported at its field, also in a form that is part of a chat, and can be corrected there", async () => {
    await open(phones, NO_RANDOM_FAULTS);
    harness.sandbox.failNext("findContact", 1, refusal("INVALID_PHONE"));
    visitor.write({ t: "lead", id: "with-a-chat", chat: true, ...PHONE });
    expect(await visitor.next(errorFor("with-a-chat"))).toEqual({
      t: "error",
      code: "invalid_phone",
      field: "phone",
      id: "with-a-chat",
    });
    expect(await fill({ chat: true, phone: "+49301234567" }, "with-a-chat")).toBe("lead");
    await harness.sandbox.until(() => lists().leads?.length === 1);
    expect(contacts()).toMatchObject([{ firstName: "Ada", phone: "+49301234567" }]);
    await visitor.send("hello");
    await visitor.receives("echo: hello");
    await expect.poll(states).toEqual(["done", "done"]);
  });

  it("is reported late, when the form was answered long before", async () => {
    await open(phones, NO_RANDOM_FAULTS);
    harness.sandbox.failNext("findContact", 1, 500);
    harness.sandbox.failNext("findContact", 1, refusal("INVALID_PHONE"));
    expect(await fill({ chat: true, ...PHONE }, "answered-late")).toBe("lead");
    expect(await visitor.next(errorFor("answered-late"))).toMatchObject({ code: "invalid_phone", field: "phone" });
  });

  it("is shown to a visitor who was away when it was refused, until they correct it", async () => {
    await open(phones, NO_RANDOM_FAULTS);
    harness.sandbox.failNext("findContact", 1, 500);
    harness.sandbox.failNext("findContact", 1, refusal("INVALID_PHONE"));
    await fill({ chat: true, ...PHONE }, "away-meanwhile");
    await visitor.drop();
    await expect.poll(states).toContain("refused");
    await visitor.connect();
    expect(await visitor.next(errorFor("away-meanwhile"))).toMatchObject({ code: "invalid_phone", field: "phone" });
    // The same form again is not a second attempt; another number is.
    expect(await fill({ chat: true, ...PHONE }, "away-meanwhile")).toBe("invalid_phone");
    expect(await fill({ chat: true, phone: "+49301234567" }, "away-meanwhile")).toBe("lead");
    await harness.sandbox.until(() => lists().leads?.length === 1);
    await expect.poll(states).toContain("done");
    await visitor.drop();
    await visitor.connect();
    const repeated = visitor.next(errorFor("away-meanwhile")).then(
      () => "sent again",
      () => "left alone",
    );
    await visitor.send("hello");
    await visitor.receives("echo: hello");
    await visitor.drop();
    expect(await repeated).toBe("left alone");
  });

  it("is also refused permanently with an unknown error, and the owner learns why", async () => {
    await open({ lists: ["leads"] }, NO_RANDOM_FAULTS);
    harness.sandbox.failNext("createContact", 1, refusal("BLOCKED_AREA"));
    expect(await fill(PHONE, "another-reason")).toBe("invalid_phone");
    const call = caller(harness, await tokenFor(harness));
    const { body } = await call("GET", "/leads?state=refused");
    expect(body.items).toMatchObject([{ id: "another-reason", state: "refused", problem: "400: no such number" }]);
  });
});

describe("a form without a chat", () => {
  it("becomes a contact on every list, and its phone number gets the country code of the site", async () => {
    await open();
    expect(await fill({ firstName: "Ada", email: "ada@b.example", phone: "(030) 123 45-67", consent: "Call me" })).toBe(
      "lead",
    );
    await harness.sandbox.until(() => lists().news?.length === 1);
    expect(contacts()).toMatchObject([{ firstName: "Ada", email: "ada@b.example", phone: "+49301234567" }]);
    await expect.poll(states).toEqual(["done"]);
  });

  it("uses an existing contact, even when it arrives five times at once", async () => {
    // This test counts the calls to the service.
    await open({ lists: ["leads"] }, NO_RANDOM_FAULTS);
    await Promise.all([1, 2, 3, 4, 5].map(() => fill({ email: "ada@b.example" })));
    await expect.poll(states).toEqual(["done", "done", "done", "done", "done"]);
    expect(contacts()).toHaveLength(1);
    expect(lists().leads).toEqual([contacts()[0]?.id]);
    expect(harness.sandbox.requests().filter(({ route }) => route === "addToList")).toHaveLength(1);
  });

  it.each([
    [{ phone: "12" }, "invalid_phone"],
    [{ phone: "call me" }, "invalid_phone"],
    [{ email: "nobody" }, "invalid_email"],
    [{ firstName: "Ada" }, "empty"],
    [{ email: "unknown@unknown.com" }, "empty"],
  ])("names the invalid field, and does nothing: %j", async (fields, code) => {
    await open();
    expect(await fill(fields)).toBe(code);
    expect(harness.sandbox.requests()).toEqual([]);
  });

  it("learns that the service refuses a number, and is corrected under the same id (4.13-25; R-702)", async () => {
    await open({ lists: ["leads"] });
    const refusal = { kind: "status", status: 400, body: { error: { code: "INVALID_PHONE", message: "no" } } } as const;
    harness.sandbox.failNext("findContact", 1, refusal);
    expect(await fill({ phone: "+4930123456" }, "the-same-form")).toBe("invalid_phone");
    expect(await fill({ phone: "+49301234567" }, "the-same-form")).toBe("lead");
    await harness.sandbox.until(() => lists().leads?.length === 1);
    expect(contacts()).toMatchObject([{ phone: "+49301234567" }]);
  });

  it("continues where it stopped: a lost answer and a failing list create no second contact (F28)", async () => {
    await open();
    harness.sandbox.failNext("createContact", 1, { kind: "resetConnection", when: "after" });
    harness.sandbox.failNext("addToList", 1, 500);
    expect(await fill({ email: "ada@b.example" })).toBe("lead");
    await harness.sandbox.until(() => lists().news?.length === 1);
    expect(contacts()).toHaveLength(1);
    expect([lists().leads, lists().news]).toEqual([[contacts()[0]?.id], [contacts()[0]?.id]]);
  });

  it("continues after a restart, and is in the person's export until they are erased", async () => {
    await open({ lists: ["leads"] });
    harness.sandbox.failNext("addToList", 1, 500);
    expect(await fill({ firstName: "Ada", email: "ada@b.example", consent: "Write to me" })).toBe("lead");
    await harness.sandbox.until((all) => all.requests().some(({ route }) => route === "addToList"));
    await harness.halt();
    await harness.start();
    await harness.sandbox.until(() => lists().leads?.length === 1);
    expect(contacts()).toHaveLength(1);
    const call = caller(harness, await tokenFor(harness));
    const [person] = (await call("GET", "/visitors")).body.items as { id: string }[];
    expect(person).toMatchObject({ firstName: "Ada", email: "ada@b.example" });
    const whole = await call("GET", `/visitors/${person?.id}/export`);
    expect(whole.body.leads).toMatchObject([{ email: "ada@b.example", consent: "Write to me" }]);
    await call("DELETE", `/visitors/${person?.id}`, undefined, "erase-ada");
    expect((await call("GET", "/leads")).body.items).toEqual([]);
  });

  it("is kept when a list does not exist, reports it, and is added to the others (4.13-25; R-442)", async () => {
    await open({ lists: ["nowhere", "leads"] });
    expect(await fill({ email: "ada@b.example" })).toBe("lead");
    await expect.poll(() => harness.lines().some((line) => line.includes("lead.waiting"))).toBe(true);
    await harness.sandbox.until(() => lists().leads?.length === 1);
    expect(await states()).toEqual(["open"]);
  });
});
