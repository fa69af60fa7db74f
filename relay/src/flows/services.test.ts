import { expect, it } from "vitest";
import type { Settings, Site } from "../base/config.ts";
import { createKeys } from "../base/keys.ts";
import { createSites } from "../records/sites.ts";
import type { Outcome } from "../service/outcome.ts";
import { createServices } from "./services.ts";

it("counts the second call of a message, without its campaign, against the account's rate", async () => {
  const counted: string[] = [];
  const services = createServices(
    { accounts: [], allowInsecureService: false } as unknown as Settings,
    createKeys([]),
    createSites([], () => []),
    (_head, send) => send(undefined),
    { countSecondCall: (account) => void counted.push(account) },
  );
  const site = { public: { id: "shop" }, account: "main", campaignFallback: true } as Site;
  const asked: (string | undefined)[] = [];
  const call = async ({ campaignId }: { campaignId?: string }): Promise<Outcome> => {
    asked.push(campaignId);
    const unknown = { kind: "permanent", status: 404, message: "no such campaign" } as const;
    return campaignId === undefined ? { kind: "ok", status: 200, message: "" } : unknown;
  };
  await services.routed(site, { campaignId: "gone" }, call);
  expect([asked, counted]).toEqual([["gone", undefined], ["main"]]);
  // The campaign is known to be refused, so one call is enough.
  await services.routed(site, { campaignId: "gone" }, call);
  expect([asked, counted]).toEqual([["gone", undefined, undefined], ["main"]]);
  await services.close();
});
