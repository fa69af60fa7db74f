import type { Clock } from "../base/clock.ts";
import { limitConcurrency } from "../base/concurrency.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database } from "../db/database.ts";
import { renewGeneration, type VisitorCursor, visitorsInOrder } from "../records/visitors.ts";

type EndingsDeps = { db: Database; bus: Bus; clock: Clock };

/** Number of visitors per transaction. */
const VISITORS_PER_TRANSACTION = 500;

/**
 * Creates the functions that end sessions at the operator's request: after a copied browser token, a lost device, or a signing
 * mistake of a site. Every earlier token becomes invalid, and connections are closed: at once in this process, with the next
 * heartbeat in others. The
 * thread stays. A user with a signed identity signs in again; an anonymous visitor begins a new thread.
 */
export function createSessionEndings({ db, bus, clock }: EndingsDeps) {
  /** By site: the result of the run that has not begun. Calls until then share it. */
  const next = new Map<string, Promise<number>>();
  const limited = limitConcurrency(1);

  async function endAll(site: string): Promise<number> {
    let count = 0;
    for (let after: VisitorCursor | undefined; ; ) {
      const places = await visitorsInOrder(db, { site, after, limit: VISITORS_PER_TRANSACTION });
      const ids = places.map(({ id }) => id);
      const found = await db.transaction((tx) => renewGeneration(tx, site, ids, clock.now()), ids);
      for (const visitor of found) bus.publish({ visitor, head: 0, ended: "*" });
      count += found.length;
      after = places.at(-1);
      if (places.length < VISITORS_PER_TRANSACTION) return count;
    }
  }

  return {
    /** Ends the sessions of one visitor. @returns false when the site has no such visitor */
    async visitor(site: string, visitor: string): Promise<boolean> {
      const found = await db.transaction((tx) => renewGeneration(tx, site, [visitor], clock.now()), [visitor]);
      if (found.length > 0) bus.publish({ visitor, head: 0, ended: "*" });
      return found.length > 0;
    },
    /**
     * Ends the sessions of every visitor of a site, in batches, so that messages can be written between them. Runs take place
     * one after another, and all calls before a run begins share it: ninety runs at once would delay visitors for seconds
     * (RELIABILITY A24). @returns the number of visitors
     */
    site(site: string): Promise<number> {
      const waiting = next.get(site);
      if (waiting !== undefined) return waiting;
      const run = limited(async () => {
        // A run that need not wait would otherwise begin before `next.set`, and would stay in the map.
        await undefined;
        next.delete(site);
        return endAll(site);
      });
      next.set(site, run);
      return run;
    },
  };
}

/** Ends sessions; see `createSessionEndings`. */
export type SessionEndings = ReturnType<typeof createSessionEndings>;
