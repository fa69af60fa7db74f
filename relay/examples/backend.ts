/**
 * What an owner's backend does with the server API: a message, a contact on a list, credits. It uses the package that
 * `porchlight client` writes, which needs Node 20; to run this file as it is, Node 22.18 or newer:
 *
 *   npm run -s porchlight -- client relay/examples/node_modules/@porchlight/client
 *   RELAY_URL=http://localhost:8787 TOKEN=pl_… node_modules/.bin/node relay/examples/backend.ts
 */

import { ApiError, createClient } from "@porchlight/client";

const { RELAY_URL = "http://localhost:8787", TOKEN = "", LIST, SUB_ACCOUNT } = process.env;
const porchlight = createClient({ url: RELAY_URL, token: TOKEN });

/** The key identifies the action, not the attempt: a repeated key has no second effect. */
async function sendMessage(): Promise<string> {
  const order = { user: "customer-8", number: "1043" };
  const { state } = await porchlight.sendMessage(
    { to: { user: order.user }, text: `Order ${order.number} is on its way.`, firstName: "Grace" },
    { key: `shipped-${order.number}` },
  );
  return state;
}

/** Finds or creates a contact and adds it to a list. */
async function createContact(): Promise<string> {
  const { contact } = await porchlight.createContact(
    { firstName: "Grace", email: "grace@shop.example", lists: LIST === undefined ? [] : [LIST] },
    { key: "newsletter-grace" },
  );
  return contact.id;
}

/** Grants credits and waits for the outcome. A person must resolve `unknown`: it is never granted again automatically. */
async function grantCredits(email: string): Promise<string> {
  await porchlight.grantCredits({ email, amount: 20, note: "Invoice 118" }, { key: "invoice-118" });
  for (;;) {
    const { state, reason } = await porchlight.getGrant({ key: "invoice-118" });
    if (state !== "queued" && state !== "calling") return reason === null ? state : `${state} (${reason})`;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

try {
  console.log(`Message: ${await sendMessage()}`);
  console.log(`Contact: ${await createContact()}`);
  if (SUB_ACCOUNT !== undefined) console.log(`Credits: ${await grantCredits(SUB_ACCOUNT)}`);
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 1;
}
