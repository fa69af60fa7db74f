import { randomId } from "@porchlight/shared/id";
import { unsentMails } from "../records/mails.ts";
import { allArguments, type Command, positionals } from "./command.ts";
import type { CommandContext } from "./context.ts";
import { CommandError } from "./error.ts";
import { type Finding, failed, passed } from "./finding.ts";

const WHY = {
  nothing: "There is no conversation with this visitor on this site, or the site sends no mail.",
  no_email: "No email address is known: add one with --to.",
  rate_limited: "This address has reached the daily limit of mails: add it with --to to send anyway.",
} as const;

export const MAIL: Record<string, Command> = {
  transcript: {
    usage: "<visitor> [--to <email>] [--site <site>]",
    help: "makes the running relay mail a visitor's conversation",
    subject: allArguments,
    options: { to: { type: "string" }, site: { type: "string" } },
    async run({ mail, site }, given) {
      const { visitor } = positionals(given, "visitor");
      if (mail === undefined) throw new CommandError("There is no mail server: set SMTP_URL and MAIL_FROM.");
      const home = site(given.text("site"));
      const page = home.origins.find((origin) => !origin.includes("*")) ?? mail.relay;
      const asked = await mail.transcript({
        visitor,
        site: home,
        id: randomId(),
        context: { page, locale: home.public.locale },
        to: given.text("to"),
      });
      if (typeof asked === "string") throw new CommandError(WHY[asked]);
      const { address } = asked;
      return { data: { visitor, email: address }, lines: [`The conversation is mailed to ${address}.`] };
    },
  },
};

/** Logs in at the mail server and checks for mails that were not sent. Sends nothing. */
export async function checkMailServer({ settings, mailer, db }: CommandContext): Promise<Finding[]> {
  if (settings.mail === undefined || mailer === undefined) return [];
  const problem = await mailer.verify();
  const host = new URL(settings.mail.url).host;
  const server =
    problem === undefined
      ? passed("mail server", `${host} accepts the login`)
      : failed(
          "mail server",
          `${host}: ${problem}`,
          "Check `SMTP_URL`: host, port, user, password, and `smtps://` for port 465.",
        );
  const sites = settings.sites.filter(({ mail }) => mail === true).map(({ public: { id } }) => id);
  const unsent = await Promise.all(sites.map((id) => unsentMails(db, id, 1)));
  return [
    server,
    ...unsent.flat().map(({ site, state, problem }) => {
      const said = state === "unknown" ? "it is not known whether a mail was sent" : "a mail to a visitor failed";
      return failed(
        `mail of site ${site}`,
        `${said}: ${problem}`,
        "Look it up at the mail server; it is not sent again automatically.",
      );
    }),
  ];
}
