import { describe, expect, it } from "vitest";
import { countCredits, type Plan } from "./credits.ts";

/** Defines a test for each plan: relays are killed while they grant credits, and the service fails in every ambiguous way. */
export function creditsUnderKills(plans: readonly [name: string, plan: Plan][]): void {
  describe.each(plans)("credits under kills and every ambiguous failure, %s", (_name, plan) => {
    it("are granted at most once per key, no key is lost, and a person settles unknown outcomes", async () => {
      const { grants, entries, answered, calls, killed, resolve } = await countCredits(11, plan);
      expect(answered).toBe(plan.keys * plan.copies);
      expect(entries).toHaveLength(plan.keys);
      expect([...grants].filter(([, times]) => times > 1)).toEqual([]);
      expect(entries.filter(({ key, state }) => state === "done" && !grants.has(key))).toEqual([]);
      const unknown = entries.filter(({ state }) => state === "unknown");
      expect(unknown.length).toBeGreaterThan(0);
      expect(killed).toBeGreaterThan(plan.kills / 2);

      const ended = await resolve();
      expect(ended.filter(({ state }) => state !== "done")).toEqual([]);
      expect(grants.size).toBe(plan.keys);
      expect([...grants].filter(([, times]) => times !== 1)).toEqual([]);
      console.log(
        `${answered} submissions, ${calls} calls, ${killed} kills: 0 double grants, ${unknown.length} unknown`,
      );
    });
  });
}
