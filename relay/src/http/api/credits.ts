import { RelayError } from "../../base/errors.ts";
import type { Database } from "../../db/database.ts";
import type { Credits } from "../../flows/credits/credits.ts";
import { GRANT_STATES, grantStateOf } from "../../records/ledger/grants.ts";
import {
  entriesPage,
  findEntry,
  historyOf,
  type LedgerEntry,
  type TransitionProblem,
} from "../../records/ledger/ledger.ts";
import type { AnswerOf } from "./operations.ts";
import { Problem } from "./problem.ts";
import type { Call, Handlers } from "./router.ts";
import { actorOf, cursorOf, grantView, iso, pageWith } from "./views.ts";

type Grant = AnswerOf<"listGrants">["items"][number];

/** The entry after a decision. @throws RelayError when the decision was not possible */
function grantOf(outcome: LedgerEntry | TransitionProblem | "incomplete" | "amount" | "email"): Grant {
  if (outcome === "missing") throw new RelayError("not_found");
  if (outcome === "wrong_state") throw new RelayError("wrong_state");
  if (outcome === "incomplete")
    throw new Problem("invalid_field", "The entry still lacks an email or an amount.", "amount");
  if (outcome === "email") throw new Problem("invalid_field", "email must be an email address.", "email");
  if (outcome === "amount") throw new RelayError("invalid_amount", "amount");
  return grantView(outcome);
}

/** Handlers for the credit ledger and for decisions about its entries. */
export function ledger({ db, credits }: { db: Database; credits: Credits }) {
  const about = (call: Pick<Call, "site" | "token">, key: string) => ({
    account: call.site.account,
    key,
    actor: actorOf(call),
  });

  return {
    async listGrants({ site, query }) {
      const before = cursorOf<{ created: number; key: string }>(query.cursor, { created: "number", key: "text" });
      const state = grantStateOf(query.state ?? "");
      const rows = await entriesPage(db, {
        kind: "grant",
        account: site.account,
        limit: query.limit + 1,
        ...(before && { before }),
        ...(state && { state }),
      });
      return pageWith(rows, query.limit, grantView, ({ created, key }) => ({ created, key }));
    },
    async getGrant({ site, params }) {
      const name = { kind: "grant", account: site.account, key: params.key } as const;
      const entry = await findEntry(db, name);
      if (entry === undefined) throw new RelayError("not_found");
      const history = (await historyOf(db, name)).map((step) => ({
        ...step,
        state: GRANT_STATES[step.state],
        at: iso(step.at),
      }));
      return { ...grantView(entry), history };
    },
    async grantCredits(call) {
      const outcome = await credits.grant({ ...about(call, call.key), ...call.body });
      if (outcome === "conflict") throw new RelayError("key_reused");
      return grantOf(typeof outcome === "string" ? outcome : outcome.entry);
    },
    approveGrant: async (call) => {
      const { email, amount, reason } = call.body;
      const completed = { ...(email && { email }), ...(amount !== undefined && { amount }) };
      return grantOf(await credits.approve({ ...about(call, call.params.key), reason, ...completed }));
    },
    dismissGrant: async (call) => grantOf(await credits.dismiss({ ...about(call, call.params.key), ...call.body })),
    resolveGrant: async (call) => grantOf(await credits.resolve({ ...about(call, call.params.key), ...call.body })),
  } satisfies Partial<Handlers>;
}
