/** `POST /subaccounts/credits` (interface 4.6; BEHAVIOUR 4.8). Not idempotent: a repeated grant grants again. */

import type { Fields } from "@porchlight/shared/json-fields";
import { Refusal } from "../answers.ts";
import { checkEmail } from "../contacts.ts";
import { onlyFields, optionalText } from "../fields.ts";
import type { SandboxConfig } from "../options.ts";
import type { Service } from "../service.ts";
import type { Endpoint } from "./call.ts";

/** @throws Refusal for a key without agency rights, for invalid fields, and when the pool has too few credits */
export const grantCredits: Endpoint = (service, { body, key }) => {
  const { config, credits, recharges, changes } = service;
  checkAgency(key, config);
  onlyFields(body, ["email", "amount", "description"], config);
  const email = optionalText(body, "email", config);
  if (email === undefined) throw new Refusal("VALIDATION", "email is required");
  checkEmail(email.trim(), config);
  const amount = amountOf(body, config);
  const description = optionalText(body, "description", config);

  const account = credits.find(email);
  if (account === undefined) return unknownAccount(config);
  takeFromPool(service, amount);
  const grant = credits.grant(account, amount, description);
  recharges.link(grant);
  changes.touch();
  return {
    status: 200,
    body: { success: true, sub_account_id: account.id, credits_added: amount, new_balance: grant.balance },
  };
};

/** Refuses every key but the agency's. Without the option `agencyKey`, each valid key is the agency's. */
function checkAgency(key: string, config: SandboxConfig): void {
  if (config.agencyKey === null || key === config.agencyKey) return;
  throw new Refusal("NOT_AGENCY", "Only agency accounts can grant credits", { status: config.nonAgency });
}

function amountOf(body: Fields, config: SandboxConfig): number {
  const given = body.amount;
  const amount = config.coerceTypes && typeof given === "string" && given.trim() !== "" ? Number(given) : given;
  if (typeof amount !== "number" || !Number.isFinite(amount) || amount <= 0) {
    throw new Refusal("VALIDATION", "amount must be a number greater than 0");
  }
  if (config.integerCredits && !Number.isInteger(amount)) throw new Refusal("VALIDATION", "amount must be whole");
  return amount;
}

function unknownAccount(config: SandboxConfig) {
  const message = "Sub-account not found";
  if (config.unknownSubaccount === "200false") return { status: 200, body: { success: false, message } };
  throw new Refusal("NOT_FOUND", message, { status: config.unknownSubaccount });
}

function takeFromPool({ config }: Service, amount: number): void {
  if (config.agencyPool === null) return;
  if (config.agencyPool < amount) throw new Refusal("INSUFFICIENT_CREDITS", "The agency has too few credits");
  config.agencyPool -= amount;
}
