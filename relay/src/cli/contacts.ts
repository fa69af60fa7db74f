import { randomId } from "@porchlight/shared/id";
import { TEXT_MAX } from "@porchlight/shared/limits";
import { type ContactDetails, presentDetails, readContactDetails } from "../base/contact-details.ts";
import { type OutreachRefusal, sendKey } from "../flows/outreach.ts";
import { sentView } from "../http/api/views.ts";
import { findEntry, type LedgerState } from "../records/ledger/ledger.ts";
import type { ContactAnswer } from "../service/api.ts";
import { isAccepted, type Outcome } from "../service/outcome.ts";
import {
  allArguments,
  type Command,
  type CommandArgs,
  checkEmail,
  positionals,
  type Result,
  requiredOption,
  SITE_OPTION,
  waitSeconds,
} from "./command.ts";
import type { CommandContext } from "./context.ts";
import { CommandError } from "./error.ts";
import { exitCodeOf, waitUntilSettled } from "./ledger-outcome.ts";

const detailOptions = {
  phone: { type: "string" },
  email: { type: "string" },
  "first-name": { type: "string" },
  "last-name": { type: "string" },
} as const;

/** @throws CommandError that says who refused the call, and why; nothing when it succeeded */
export function assertAccepted(outcome: Outcome): void {
  const { kind, status, message } = outcome;
  if (isAccepted(outcome)) return;
  if (status > 0) throw new CommandError(`The service refused it (${status}): ${message}`);
  const unanswered = kind === "transient" || kind === "unknown";
  throw new CommandError(`${unanswered ? "The service did not answer" : "No call was made"}: ${message}`);
}

/** The contact details of the options. @throws CommandError that names the invalid option */
function detailsOf(given: CommandArgs, country: string | undefined): Partial<Record<keyof ContactDetails, string>> {
  const [phone, email, firstName, lastName] = ["phone", "email", "first-name", "last-name"].map(given.text);
  const details = readContactDetails({ phone, email, firstName, lastName }, country);
  if (details === "invalid_phone")
    throw new CommandError(`--phone: "${phone}" is not a phone number with a country code like +4930123456.`, 2);
  if (details === "invalid_email") throw new CommandError(`--email: "${email}" is not an email address.`, 2);
  if ((details.phone ?? details.email) === null) throw new CommandError("--phone or --email is needed.", 2);
  return presentDetails(details);
}

function shown({ contact }: ContactAnswer): Result {
  if (contact === undefined) throw new CommandError("There is no such contact.");
  const words = Object.entries(contact).map(([name, value]) => `${name.padEnd(10)} ${value}`);
  return { data: contact, lines: words };
}

const REFUSALS: Record<OutreachRefusal, (key: string) => string> = {
  empty: () => "The text is empty.",
  too_long: () => `The text is too long: ${TEXT_MAX} characters at most.`,
  invalid_email: () => "--email: this is not an email address.",
  unknown_visitor: () =>
    "No visitor of this site has this id. --user accepts your own id of a person, also before their first visit.",
  conflict: (key) => `--key: ${key} was used for another message. Each message needs a key of its own.`,
};

/** The recipient of `send`. @throws CommandError unless it is given by exactly one option */
function recipientOf({ text }: CommandArgs): { user: string } | { visitor: string } {
  const [user, visitor] = [text("user"), text("visitor")];
  if (user !== undefined && visitor === undefined) return { user };
  if (visitor !== undefined && user === undefined) return { visitor };
  throw new CommandError("Either --user or --visitor is needed.", 2);
}

async function sendOne(context: CommandContext, given: CommandArgs): Promise<Result> {
  const { text } = positionals(given, "text");
  const to = recipientOf(given);
  const site = context.site(given.text("site"));
  const key = given.text("key") ?? `cli-${randomId(20)}`;
  const {
    "first-name": firstName,
    "last-name": lastName,
    email,
    campaign,
  } = Object.fromEntries(["first-name", "last-name", "email", "campaign"].map((name) => [name, given.text(name)]));
  const order = { site, key, to, text, firstName, lastName, email, campaign, actor: "cli" };
  const outcome = await context.outreach.submit(order);
  if (typeof outcome === "string") throw new CommandError(REFUSALS[outcome](key));
  const name = { kind: "send", account: site.account, key: sendKey(site, key) } as const;
  const entry = await waitUntilSettled(context, given, () => findEntry(context.db, name));
  const data = sentView(entry);
  const why = entry.reason === null ? "" : ` (${entry.reason})`;
  const line = `${key}: ${data.state}${why}${CURES[entry.state]?.replace("KEY", key) ?? ""}`;
  return { data, lines: [line], code: exitCodeOf(entry) };
}

/** The next steps for a message that is not sent. */
const CURES: Partial<Record<LedgerState, string>> = {
  intent:
    ". It is sent automatically once a relay runs and the service accepts it: porchlight doctor shows what prevents that.",
  unknown: ". Look it up at the service, then: porchlight send resolve KEY --sent|--not-sent --reason <words>",
};

export const CONTACTS: Record<string, Command> = {
  "contact find": {
    usage: "--phone <phone>|--email <email> [--site <site>]",
    help: "finds a contact at the service",
    options: { ...SITE_OPTION, ...detailOptions },
    async run({ contacts, site }, given) {
      const { account, leads } = site(given.text("site"));
      const { phone, email = "" } = detailsOf(given, leads?.country);
      const answer = await contacts.find(account, phone === undefined ? { email } : { phone });
      assertAccepted(answer);
      return shown(answer);
    },
  },
  "contact add": {
    usage: "--phone <phone>|--email <email> [--first-name …] [--last-name …] [--site <site>]",
    help: "finds or creates a contact",
    subject: ({ text }) => text("site") ?? "",
    options: { ...SITE_OPTION, ...detailOptions },
    async run({ contacts, site }, given) {
      const { account, leads } = site(given.text("site"));
      const answer = await contacts.findOrCreate(account, detailsOf(given, leads?.country));
      assertAccepted(answer);
      return shown(answer);
    },
  },
  "list add": {
    usage: "<list> <contact> [--site <site>]",
    help: "adds a contact to a list",
    subject: allArguments,
    options: SITE_OPTION,
    async run({ contacts, site }, given) {
      const { list, contact } = positionals(given, "list", "contact");
      assertAccepted(await contacts.addToList(site(given.text("site")).account, list, contact));
      return { data: { list, contact }, lines: [`${contact} is on ${list}.`] };
    },
  },
  send: {
    usage: "<text> --user <id>|--visitor <id> [--key <key>] [--site <site>] [--wait <seconds>]",
    help: "sends a message once per key; the running relay calls the service; exit code 3 while the message is pending or its outcome is unknown",
    subject: ({ text }) =>
      [text("user") ?? text("visitor"), text("key"), text("site")].filter((part) => part !== undefined).join(" "),
    options: {
      ...SITE_OPTION,
      ...detailOptions,
      user: { type: "string" },
      visitor: { type: "string" },
      key: { type: "string" },
      campaign: { type: "string" },
      wait: { type: "string" },
    },
    check(given) {
      recipientOf(given);
      checkEmail("--email", given.text("email"));
      waitSeconds(given, 0);
    },
    run: sendOne,
  },
  "send resolve": {
    usage: "<key> --sent|--not-sent --reason <words> [--site <site>]",
    help: "sets the outcome of a message whose outcome is unknown",
    subject: allArguments,
    options: { ...SITE_OPTION, sent: { type: "boolean" }, "not-sent": { type: "boolean" }, reason: { type: "string" } },
    check(given) {
      if (given.flag("sent") === given.flag("not-sent"))
        throw new CommandError("Either --sent or --not-sent is needed.", 2);
      requiredOption(given, "reason");
    },
    async run({ outreach, site }, given) {
      const { key } = positionals(given, "key");
      const decision = {
        site: site(given.text("site")),
        key,
        sent: given.flag("sent"),
        actor: "cli",
        reason: requiredOption(given, "reason"),
      };
      const entry = await outreach.resolve(decision);
      if (typeof entry === "string") throw new CommandError(`No message ${key} whose outcome is unknown.`);
      return { data: sentView(entry), lines: [`${key}: ${sentView(entry).state}`] };
    },
  },
};
