import { type Clock, realClock } from "../base/clock.ts";
import type { Settings, Site } from "../base/config.ts";
import type { Keys } from "../base/keys.ts";
import { type Log, silentLog } from "../base/log.ts";
import { isCampaign } from "../base/routes.ts";
import type { Details } from "../records/details.ts";
import type { Head } from "../records/outbox.ts";
import type { Sites } from "../records/sites.ts";
import { createService, type Service } from "../service/api.ts";
import type { Outcome } from "../service/outcome.ts";
import { bodyOf, type Enclose } from "./enclose.ts";

/** Calls the service with a message; where the site wants it, once more without a campaign that is refused. */
export type Routed = <M extends { campaignId?: string }, T extends Outcome>(
  site: Pick<Site, "public" | "account" | "campaignFallback">,
  message: M,
  call: (message: M) => Promise<T>,
) => Promise<T>;

export type Services = {
  /** Hands a message to the account it belongs to, with what the service has not heard of its visitor. Never rejects. */
  carry: (head: Head, about?: Omit<Details, "phone">) => Promise<Outcome>;
  routed: Routed;
  /** An account's client; nothing when the account left the configuration. */
  of: (account: string) => Service | undefined;
  close: () => Promise<void>;
};

/** The conversation's campaign, as long as the site still has it: a wrong id would fail every message. */
function campaignOf({ campaign }: Head, site: Site): { campaignId?: string } {
  const chosen = campaign === null || !isCampaign(site.routes ?? [], site.campaign, campaign) ? undefined : campaign;
  const id = chosen ?? (campaign === "" ? undefined : site.campaign);
  return id === undefined ? {} : { campaignId: id };
}

type Surroundings = {
  clock: Clock;
  log: Log;
  /** Counts a second call for one message in the account's pace. */
  beside: (account: string) => void;
};

/** So long messages go without a campaign that was refused, before the service is asked about it again. */
const REFUSED_MS = 600_000;

/** A 400 or 404 may be about the campaign; that the same message is taken without it proves it. */
const mayBeCampaign = ({ kind, status }: Outcome): boolean =>
  kind === "permanent" && (status === 400 || status === 404);
const namesCampaign = ({ status, message }: Outcome): boolean => status === 404 || /campaign/i.test(message);

function createRouting({ clock, log, beside }: Surroundings): Routed {
  /** Campaigns of accounts that the service refused, and until when nothing is sent to them. */
  const refused = new Map<string, number>();
  return async (site, message, call) => {
    const { campaignId } = message;
    if (campaignId === undefined) return call(message);
    const fallback = site.campaignFallback === true;
    const { campaignId: _, ...without } = message;
    const name = `${site.account}:${campaignId}`;
    const complain = () => log("campaign.refused", { site: site.public.id, campaign: campaignId, fallback });
    if (fallback && (refused.get(name) ?? 0) > clock.uptime()) return call(without as typeof message);
    const outcome = await call(message);
    if (!mayBeCampaign(outcome)) return outcome;
    if (!fallback) {
      if (namesCampaign(outcome)) complain();
      return outcome;
    }
    beside(site.account);
    const again = await call(without as typeof message);
    if (again.kind === "ok" || again.kind === "duplicate") {
      refused.set(name, clock.uptime() + REFUSED_MS);
      complain();
    }
    return again;
  };
}

/** The accounts' clients, and how a message of a site is put to the service. */
export function createServices(
  settings: Settings,
  keys: Keys,
  sites: Sites,
  enclose: Enclose,
  { clock = realClock, log = silentLog, beside = () => {} }: Partial<Surroundings> = {},
): Services {
  const routed = createRouting({ clock, log, beside });
  /** Sites that are not configured any more, as far as was told. */
  const missed = new Set<string>();
  const clients = new Map<string, Service>(
    settings.accounts.map(({ id, url }) => [
      id,
      createService({ baseUrl: url, key: () => keys.of(id), allowInsecure: settings.allowInsecureService }),
    ]),
  );
  return {
    async carry(head, about) {
      const client = clients.get(head.account);
      const site = sites.find(head.site);
      // The site or account left the configuration: its messages wait until it is back, and nobody else's.
      if (client === undefined || site === undefined) {
        if (!missed.has(head.site))
          log("settings.warning", { warning: `messages wait for site ${head.site}, which is gone` });
        missed.add(head.site);
        return { kind: "unready", status: 0, message: `site ${head.site} is not configured` };
      }
      const message = {
        messageSid: head.sid,
        fromId: head.sender,
        toId: site.business,
        body: head.reaction ?? bodyOf(head),
        channel: site.channel,
        ...campaignOf(head, site),
        ...about,
      };
      const kind = head.reaction === null ? "text" : "reaction";
      try {
        const outcome = await enclose(head, (file) =>
          routed(site, message, (routed) => client.incoming({ ...routed, ...file }, kind)),
        );
        return outcome === "missing" ? { kind: "permanent", status: 0, message: "its file is gone" } : outcome;
      } catch (error) {
        return { kind: "unready", status: 0, message: `its file cannot be read: ${String(error)}` };
      }
    },
    routed,
    of: (account) => clients.get(account),
    close: async () => {
      for (const client of clients.values()) await client.close();
    },
  };
}
