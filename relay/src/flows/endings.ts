import type { Clock } from "../base/clock.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database } from "../db/database.ts";
import { renewGeneration, visitorIds } from "../records/visitors.ts";

type EndingsDeps = { db: Database; bus: Bus; clock: Clock };

/** Visitors of one transaction. */
const BATCH = 500;

/**
 * Ends sessions at the operator's word: a browser token that was copied, a lost device, a signing mistake of a site. Every
 * token from before is void, and connections are closed: at once in this process, with the next heartbeat in others. The
 * thread stays. A user with a signed identity comes back by signing in; an anonymous visitor begins a new thread.
 */
export function createEndings({ db, bus, clock }: EndingsDeps) {
  return {
    /** @returns false when nothing is written of such a visitor of this site */
    async visitor(site: string, visitor: string): Promise<boolean> {
      const found = await db.transaction((tx) => renewGeneration(tx, site, [visitor], clock.now()), [visitor]);
      if (found.length > 0) bus.publish({ visitor, head: 0, ended: "*" });
      return found.length > 0;
    },
    /** Ends the sessions of every visitor of a site, in batches, so that messages are written between them. @returns how many visitors */
    async site(site: string): Promise<number> {
      let [count, last] = [0, ""];
      for (;;) {
        const ids = await visitorIds(db, { site, after: last, limit: BATCH });
        const found = await db.transaction((tx) => renewGeneration(tx, site, ids, clock.now()), ids);
        for (const visitor of found) bus.publish({ visitor, head: 0, ended: "*" });
        count += found.length;
        last = ids.at(-1) ?? "";
        if (ids.length < BATCH) return count;
      }
    },
  };
}

export type Endings = ReturnType<typeof createEndings>;
