import { budgetName, dayOf, usedOn } from "../records/quotas.ts";
import type { CommandContext } from "./context.ts";
import { type Finding, failed, passed } from "./finding.ts";

/** Reports how much of its daily message budget each site has used. */
export async function checkBudgets({ settings, db, clock }: CommandContext): Promise<Finding[]> {
  const sites = settings.sites.filter(({ messagesPerDay }) => messagesPerDay !== undefined);
  return Promise.all(
    sites.map(async ({ public: { id }, messagesPerDay = 0 }) => {
      const used = await usedOn(db, budgetName(id), dayOf(clock.now()));
      const check = `budget of site ${id}`;
      const found = `${used} of today's ${messagesPerDay} messages are used`;
      return used < messagesPerDay
        ? passed(check, found)
        : failed(
            check,
            `${found}: further messages wait for the next days`,
            "Raise `messagesPerDay`, or block the senders of a flood.",
          );
    }),
  );
}
