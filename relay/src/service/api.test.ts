import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/server.ts";
import type { BusinessLabel, ContactExternalId } from "../base/id-types.ts";
import { createService, type Incoming, type Service } from "./api.ts";

let sandbox: Sandbox;
let service: Service;

it("rejects a business label in place of a contact id, and the reverse (R-226)", () => {
  const [contact, business]: [ContactExternalId, BusinessLabel] = ["v_1", "shop"];
  const right: Pick<Incoming, "fromId" | "toId"> = { fromId: contact, toId: business };
  // @ts-expect-error The compiler is the test: it fails when it lets this pass.
  const swapped: typeof right = { fromId: business, toId: contact };
  expect([right.fromId, swapped.fromId]).toEqual(["v_1", "shop"]);
});

const MESSAGE = { messageSid: "pl_1", fromId: "v_1", toId: "default", body: "Hello", channel: "website" };

describe.each(["strict", "observed", "lenient"] as const)("against the sandbox's profile %s", (profile) => {
  beforeEach(async () => {
    sandbox = await startSandbox({ config: { profile, botScript: "silent" } });
    sandbox.seed({ lists: ["leads"], subAccounts: [{ email: "client@agency.example" }] });
    const { config } = sandbox;
    service = createService({ baseUrl: sandbox.url, key: () => config.apiKey });
  });
  afterEach(async () => {
    await service.close();
    await sandbox.close();
  });

  it("creates a contact, and returns the same one for the same phone (4.1)", async () => {
    const created = await service.createContact({ firstName: "Ada", phone: "+4712345678" });
    const again = await service.createContact({ firstName: "Other", phone: "+4712345678" });
    expect(created.contact?.id).toBeTruthy();
    expect(again.contact?.id).toBe(created.contact?.id);
  });

  it("recognises a phone without country code by the error code (R-702)", async () => {
    const refused = await service.createContact({ phone: "12345" });
    // The observed shapes have no code, so the refusal itself must be enough.
    expect(refused).toMatchObject(profile === "observed" ? { kind: "permanent" } : { code: "INVALID_PHONE" });
  });

  it("finds a contact by phone with its plus, and by email, or none (4.2, R-431 to R-433)", async () => {
    const { contact } = await service.createContact({ phone: "+4712345678", email: "ada@example.com" });
    expect((await service.findContact({ phoneNumber: "+4712345678" })).contact?.id).toBe(contact?.id);
    expect((await service.findContact({ email: "ADA@example.com" })).contact?.id).toBe(contact?.id);
    const none = await service.findContact({ email: "nobody@example.com" });
    expect([none.kind, none.contact]).toEqual(["ok", undefined]);
  });

  it("adds a contact to a list, once or twice, with any characters in the list's id (4.3, R-243)", async () => {
    sandbox.seed({ lists: ["a/b c?"] });
    const { contact } = await service.createContact({ email: "ada@example.com" });
    for (const list of ["leads", "leads", "a/b c?"]) {
      expect(["ok", "duplicate"]).toContain((await service.addToList(list, contact?.id ?? "")).kind);
    }
    expect((await service.addToList("nowhere", contact?.id ?? "")).kind).toBe("permanent");
  });

  it("delivers an incoming message once per messageSid (4.5, R-223)", async () => {
    expect(await service.incoming(MESSAGE)).toMatchObject({ kind: "ok" });
    expect(["ok", "duplicate"]).toContain((await service.incoming(MESSAGE)).kind);
    await sandbox.until((s) => s.messages("v_1").length === 1);
    expect(await service.incoming({ ...MESSAGE, messageSid: "pl_2", body: " \u200b " })).toMatchObject({
      kind: "permanent",
    });
  });

  it("sends a message to a contact and gets both ids (4.4)", async () => {
    const sent = await service.sendMessage({ fromId: "v_9", customChannel: "website", body: "Hi" });
    expect(sent).toMatchObject({ kind: "ok", messageId: expect.any(String), contactId: expect.any(String) });
  });

  it("reports a wrong key as a configuration error (R-464)", async () => {
    const wrong = createService({ baseUrl: sandbox.url, key: () => "wrong" });
    expect((await wrong.incoming(MESSAGE)).kind).toBe("config");
    expect((await wrong.grantCredits({ email: "client@agency.example", amount: 1 })).kind).not.toBe("ok");
    await wrong.close();
  });
});

it("grants credits with the agency's key (4.6)", async () => {
  sandbox = await startSandbox({});
  sandbox.seed({ subAccounts: [{ email: "client@agency.example" }] });
  const { config } = sandbox;
  service = createService({ baseUrl: sandbox.url, key: () => config.agencyKey ?? config.apiKey });
  const grant = await service.grantCredits({ email: " Client@Agency.example ", amount: 12.5, description: "k1" });
  expect(grant).toMatchObject({
    kind: "ok",
    added: 12.5,
    balance: expect.any(Number),
    subAccountId: expect.any(String),
  });
  expect((await service.grantCredits({ email: "nobody@agency.example", amount: 1 })).kind).toBe("permanent");
  await service.close();
  await sandbox.close();
});
