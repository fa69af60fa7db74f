import { contentOf, descriptionOf, verdictOf } from "../records/ledger/grants.ts";
import type { LedgerEntry, LedgerVerdict } from "../records/ledger/ledger.ts";
import { isErased, sentContent } from "../records/ledger/own-messages.ts";
import type { Sites } from "../records/sites.ts";
import type { SendAnswer } from "../service/api.ts";
import type { Permit } from "../service/keygate.ts";
import type { Services } from "./services.ts";

/** Calls the service for one ledger entry. `permit`: the permission of the key's gate for this call. Never rejects. */
export type LedgerCall = (entry: LedgerEntry, permit: Permit) => Promise<LedgerVerdict>;

const notConfigured = (what: string): LedgerVerdict => ({ kind: "again", reason: `${what} is not configured` });

/** Creates the call that grants credits to a sub-account (interface 4.6). */
export const createGrantCall =
  (services: Pick<Services, "clientOf">): LedgerCall =>
  async (entry, permit) => {
    const { email, amount, note } = contentOf(entry);
    const client = services.clientOf(entry.account);
    if (client === undefined || email === undefined || amount === undefined)
      return notConfigured(`account ${entry.account}`);
    const answer = await client.grantCredits({ email, amount, description: descriptionOf(note, entry.key) });
    permit.settle(answer);
    return verdictOf(answer);
  };

type SendCallDeps = {
  services: Pick<Services, "clientOf" | "routed">;
  sites: Pick<Sites, "find">;
  /** Parses the service's answer to a message. */
  verdict: (answer: SendAnswer) => LedgerVerdict;
};

/** Creates the call that sends a message of the site owner to a visitor (interface 4.4). */
export const createSendCall =
  ({ services, sites, verdict }: SendCallDeps): LedgerCall =>
  async (entry, permit) => {
    const content = sentContent(entry);
    if (isErased(content)) return { kind: "refused", reason: "the person was erased" };
    const { site: siteId, text, campaign, ...names } = content;
    const client = services.clientOf(entry.account);
    const site = sites.find(siteId);
    if (client === undefined || site === undefined) return notConfigured(`site ${siteId}`);
    const message = {
      fromId: entry.lane,
      customChannel: site.channel,
      body: text,
      ...withoutBlanks({ campaignId: campaign, ...names }),
    };
    const answer = await services.routed(site, message, client.sendMessage);
    permit.settle(answer);
    return verdict(answer);
  };

/** Removes absent and empty fields: the service stores an empty text as a value. */
function withoutBlanks<T extends Record<string, string | undefined>>(fields: T): { [K in keyof T]?: string } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(kept) as { [K in keyof T]?: string };
}
