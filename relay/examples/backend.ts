/**
 * What an owner's backend does with the server API: a message, a contact on a list, credits.
 *
 *   RELAY_URL=http://localhost:8787 TOKEN=pl_… node relay/examples/backend.ts
 */

import { ApiError, type Client, createClient } from "@porchlight/relay/client";

/** The same key again does nothing again: name what is done, not the try. */
export async function sendMessage(porchlight: Client): Promise<string> {
  const order = { user: "customer-7", number: "1042" };
  const { state } = await porchlight.sendMessage(
    { to: { user: order.user }, text: `Order ${order.number} is on its way.`, firstName: "Ada" },
    { key: `shipped-${order.number}` },
  );
  return state;
}

/** Finds the contact, or makes it, and puts it on a list. */
export async function createLead(porchlight: Client, list?: string): Promise<string> {
  const { contact } = await porchlight.createContact(
    { firstName: "Ada", email: "ada@shop.example", phone: "+4930123456", lists: list === undefined ? [] : [list] },
    { key: "newsletter-ada" },
  );
  return contact.id;
}

/** Grants credits, and waits for what comes of it. `unknown` is for a person: it is never granted again by itself. */
export async function grantCredits(porchlight: Client, email: string): Promise<string> {
  await porchlight.grantCredits({ email, amount: 20, note: "Invoice 2026-117" }, { key: "invoice-2026-117" });
  for (;;) {
    const { state } = await porchlight.getGrant({ key: "invoice-2026-117" });
    if (state !== "queued" && state !== "calling") return state;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

if (import.meta.main) {
  const { RELAY_URL = "http://localhost:8787", TOKEN = "", LIST, SUB_ACCOUNT } = process.env;
  const porchlight = createClient({ url: RELAY_URL, token: TOKEN });
  try {
    console.log(`Message: ${await sendMessage(porchlight)}`);
    console.log(`Contact: ${await createLead(porchlight, LIST)}`);
    if (SUB_ACCOUNT !== undefined) console.log(`Credits: ${await grantCredits(porchlight, SUB_ACCOUNT)}`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    console.error(`${error.code}: ${error.message}`);
    process.exitCode = 1;
  }
}
