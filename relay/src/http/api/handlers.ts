import type { Clock } from "../../base/clock.ts";
import type { Database } from "../../db/database.ts";
import type { AccessPolicy } from "../../flows/access-policy.ts";
import type { Capture } from "../../flows/capture.ts";
import type { Contacts } from "../../flows/contacts.ts";
import type { Credits } from "../../flows/credits/credits.ts";
import type { Forget } from "../../flows/forget.ts";
import type { Leads } from "../../flows/leads.ts";
import type { Mail } from "../../flows/mail/mail.ts";
import type { Outreach } from "../../flows/outreach.ts";
import type { Send } from "../../flows/send/send.ts";
import type { SessionEndings } from "../../flows/session-endings.ts";
import { blocks } from "./blocks.ts";
import { contactHandlers } from "./contacts.ts";
import { ledger } from "./credits.ts";
import { leads } from "./leads.ts";
import { messages } from "./messages.ts";
import { ratings } from "./ratings.ts";
import type { Handlers } from "./router.ts";
import { deliveries, sessions, visitors } from "./visitors.ts";
import { webhook } from "./webhook.ts";

/** The flows that the API offers to the site owner. */
export type Flows = {
  db: Database;
  clock: Clock;
  credits: Credits;
  access: AccessPolicy;
  outreach: Outreach;
  /** Absent without a mail server. */
  mail: Mail | undefined;
  contacts: Contacts;
  create: Capture["create"];
  leads: Leads;
  send: Send;
  forget: Forget;
  endings: SessionEndings;
  /** Address of a file. Anybody who has the address can fetch the file. */
  linkTo: (key: string, type: string) => string;
};

/** One handler for each operation of the API. */
export const createHandlers = (flows: Flows): Handlers => ({
  ...blocks(flows),
  ...visitors(flows),
  ...sessions(flows),
  ...leads(flows),
  ...ratings(flows),
  ...deliveries(flows),
  ...messages(flows),
  ...contactHandlers(flows),
  ...ledger(flows),
  ...webhook(flows),
});
