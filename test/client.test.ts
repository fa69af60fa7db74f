import { afterAll, beforeAll, expect, it } from "vitest";
import { createLead, grantCredits, sendMessage } from "../relay/examples/backend.ts";
import { ApiError, type Client, createClient } from "../relay/src/client.ts";
import { type House, SCRIPTED, startHouse } from "./harness.ts";
import { tokenFor } from "./tokens.ts";

let house: House;
let porchlight: Client;

beforeAll(async () => {
  house = await startHouse({ sandbox: SCRIPTED });
  house.sandbox.seed({ lists: ["leads"], subAccounts: [{ email: "client@agency.example" }] });
  porchlight = createClient({ url: house.url, token: await tokenFor(house) });
});
afterAll(() => house.stop());

it("does what the example does: a message, a contact on a list, credits; twice is once", async () => {
  for (const _ of [1, 2]) {
    expect(await sendMessage(porchlight)).toMatch(/queued|sending|sent/);
    expect(await createLead(porchlight, "leads")).toBe(house.sandbox.state().lists.leads?.[0]);
    expect(await grantCredits(porchlight, "client@agency.example")).toBe("granted");
  }
  await house.sandbox.until(({ outgoing }) => outgoing().length === 1);
  expect(house.sandbox.state().grants).toHaveLength(1);
});

it("says what was wrong with stable codes", async () => {
  const wrong = porchlight.createContact({ phone: "12" });
  await expect(wrong).rejects.toMatchObject({ status: 422, code: "invalid_phone", field: "phone" });
  const nobody = createClient({ url: house.url, token: "pl_nobody" }).listVisitors();
  await expect(nobody).rejects.toBeInstanceOf(ApiError);
});

it("encodes whatever a name holds", async () => {
  const key = "a/b?c#d é%2F".replace(" ", "_").replace("é", "e");
  await porchlight.grantCredits({ email: "client@agency.example", amount: 1 }, { key });
  expect(await porchlight.getGrant({ key })).toMatchObject({ key, amount: 1 });
});
