import { RelayError } from "../../base/errors.ts";
import type { Database } from "../../db/database.ts";
import type { Mail } from "../../flows/mail/mail.ts";
import { type Outreach, sendKey } from "../../flows/outreach.ts";
import { findEntry } from "../../records/ledger/ledger.ts";
import { findVisitor } from "../../records/visitors.ts";
import { Problem } from "./problem.ts";
import type { Handlers } from "./router.ts";
import { actorOf, sentView } from "./views.ts";

/** Handlers for messages of the site owner. */
export function messages({ db, outreach, mail }: { db: Database; outreach: Outreach; mail: Mail | undefined }) {
  return {
    async mailTranscript({ site, params: { visitor }, body, key }) {
      if (mail === undefined || site.mail !== true)
        throw new Problem("wrong_state", "This site sends no mail: it needs SMTP_URL and MAIL_FROM.");
      if ((await findVisitor(db, visitor))?.site !== site.public.id) throw new RelayError("not_found");
      const page = site.origins.find((origin) => !origin.includes("*")) ?? mail.relay;
      const asked = await mail.transcript({
        visitor,
        site,
        id: key,
        context: { page, locale: site.public.locale },
        to: body.email,
      });
      if (asked === "nothing") throw new Problem("wrong_state", "There is no conversation yet.");
      if (asked === "no_email")
        throw new Problem("missing_field", "The visitor has no known email address that accepts mail.", "email");
      if (asked === "rate_limited") throw new RelayError("rate_limited");
      return { email: asked.address };
    },
    async sendMessage(call) {
      const { to, text, campaign, firstName, lastName, email } = call.body;
      const names = { firstName, lastName, email };
      const actor = actorOf(call);
      const outcome = await outreach.submit({ site: call.site, key: call.key, to, text, campaign, ...names, actor });
      if (outcome === "conflict") throw new RelayError("key_reused");
      if (outcome === "unknown_visitor") throw new Problem("not_found", "This site has no visitor with this id.", "to");
      if (outcome === "invalid_email") throw new Problem("invalid_field", "email must be an email address.", "email");
      if (typeof outcome === "string")
        throw new Problem("invalid_field", `The text is ${outcome === "too_long" ? "too long" : outcome}.`, "text");
      return sentView(outcome.entry);
    },
    async getSentMessage({ site, params }) {
      const entry = await findEntry(db, { kind: "send", account: site.account, key: sendKey(site, params.key) });
      if (entry === undefined) throw new RelayError("not_found");
      return sentView(entry);
    },
    async resolveSentMessage(call) {
      const entry = await outreach.resolve({
        site: call.site,
        key: call.params.key,
        ...call.body,
        actor: actorOf(call),
      });
      if (entry === "missing") throw new RelayError("not_found");
      if (entry === "wrong_state") throw new RelayError("wrong_state");
      return sentView(entry);
    },
  } satisfies Partial<Handlers>;
}
