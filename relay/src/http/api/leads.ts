import { RelayError } from "../../base/errors.ts";
import type { Database } from "../../db/database.ts";
import type { Capture } from "../../flows/capture.ts";
import type { Leads } from "../../flows/leads.ts";
import { findLead, leadsPage } from "../../records/leads.ts";
import { Problem } from "./problem.ts";
import type { Handlers } from "./router.ts";
import { cursorOf, leadView, pageWith } from "./views.ts";

type LeadHandlerDeps = { db: Database; create: Capture["create"]; leads: Pick<Leads, "retry"> };

/** Handlers for leads: contact details left in a form, or sent by the owner's backend. */
export function leads({ db, create, leads: flow }: LeadHandlerDeps) {
  return {
    async listLeads({ site, query }) {
      const after = cursorOf<{ at: number; visitor: string; id: string }>(query.cursor, {
        at: "number",
        visitor: "text",
        id: "text",
      });
      const rows = await leadsPage(db, {
        site: site.public.id,
        limit: query.limit + 1,
        ...(after && { after }),
        ...(query.state && { state: query.state }),
      });
      return pageWith(rows, query.limit, leadView, ({ at, visitor, id }) => ({ at, visitor, id }));
    },
    async createLead({ site, key, body }) {
      const lead = await create(site, key, body);
      if (typeof lead === "object") return leadView(lead);
      if (lead === "invalid_phone") throw new RelayError("invalid_phone", "phone");
      if (lead === "invalid_email") throw new Problem("invalid_field", "email must be an email address.", "email");
      if (lead === "erased") throw new RelayError("wrong_state");
      throw new Problem("invalid_field", "A lead needs a phone or an email.", "email");
    },
    async getLead({ site, params }) {
      const lead = await findLead(db, params.visitor, params.lead);
      if (lead?.site !== site.public.id) throw new RelayError("not_found");
      return leadView(lead);
    },
    async retryLead({ site, params }) {
      const lead = await findLead(db, params.visitor, params.lead);
      if (lead?.site !== site.public.id) throw new RelayError("not_found");
      const renewed = await flow.retry(site, params.visitor, params.lead);
      if (renewed === undefined) throw new RelayError("wrong_state");
      return leadView(renewed);
    },
  } satisfies Partial<Handlers>;
}
