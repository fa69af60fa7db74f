import { iso, leadView } from "../http/api/views.ts";
import { findLead, leadsPage } from "../records/leads.ts";
import { allArguments, type Command, positionals, SITE_OPTION, table } from "./command.ts";
import { CommandError } from "./error.ts";

const STATES = ["open", "done", "refused"] as const;
const LIST_MAX = 200;

export const LEADS: Record<string, Command> = {
  leads: {
    usage: "[--state open|done|refused] [--site <site>]",
    help: "lists the leads, newest first, with their states; exit code 3 when the service refused one",
    options: { ...SITE_OPTION, state: { type: "string" } },
    async run({ db, site }, given) {
      const wanted = given.text("state");
      const state = STATES.find((each) => each === wanted);
      if (wanted !== undefined && state === undefined)
        throw new CommandError(`--state is one of ${STATES.join(", ")}.`, 2);
      const ask = { site: site(given.text("site")).public.id, limit: LIST_MAX, ...(state && { state }) };
      const found = await leadsPage(db, ask);
      const rows = found.map(({ visitor, id, state, email, phone, at, problem }) => [
        visitor,
        id,
        state,
        email ?? phone,
        iso(at),
        problem,
      ]);
      const lines = table(["VISITOR", "LEAD", "STATE", "WHO", "AT", "PROBLEM"], rows);
      return { data: found.map(leadView), lines, code: found.some(({ state }) => state === "refused") ? 3 : 0 };
    },
  },
  "leads retry": {
    usage: "<visitor> <lead> [--site <site>]",
    help: "makes the running relay retry a waiting or refused lead",
    subject: allArguments,
    options: SITE_OPTION,
    async run({ db, leads, site }, given) {
      const { visitor, lead: id } = positionals(given, "visitor", "lead");
      const home = site(given.text("site"));
      const lead = await findLead(db, visitor, id);
      if (lead?.site !== home.public.id) throw new CommandError(`No lead ${id} of ${visitor}: see porchlight leads.`);
      const renewed = await leads.renew(home, visitor, id);
      if (renewed === undefined) throw new CommandError(`${id} is already done.`);
      return { data: leadView(renewed), lines: [`${id} is retried as soon as a relay runs.`] };
    },
  },
};
