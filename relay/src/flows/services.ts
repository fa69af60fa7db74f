import { type Clock, realClock } from "../base/clock.ts";
import type { Settings, Site } from "../base/config.ts";
import type { Keys } from "../base/keys.ts";
import { type Log, silentLog } from "../base/log.ts";
import { isCampaign } from "../base/routes.ts";
import { bodyOf } from "../files/types.ts";
import type { Details } from "../records/details.ts";
import type { LaneHead } from "../records/outbox.ts";
import type { Sites } from "../records/sites.ts";
import { createService, type Service } from "../service/api.ts";
import { isAccepted, type Outcome } from "../service/outcome.ts";
import type { AttachFile } from "./attach-file.ts";

/**
 * Calls the service with a message. If its campaign is refused and the site allows it, calls once more without the campaign
 * (R-105).
 */
export type Routed = <M extends { campaignId?: string }, T extends Outcome>(
  site: Pick<Site, "public" | "account" | "campaignFallback">,
  message: M,
  call: (message: M) => Promise<T>,
) => Promise<T>;

/** The clients of all accounts. */
export type Services = {
  /** Sends a message to its account's service, with contact details that the service does not know yet. Never rejects. */
  send: (head: LaneHead, about?: Omit<Details, "phone">) => Promise<Outcome>;
  routed: Routed;
  /** An account's client; undefined when the account is no longer configured. */
  clientOf: (account: string) => Service | undefined;
  /** Closes the connections of all clients. */
  close: () => Promise<void>;
};

/** The conversation's campaign, if the site still has it: an unknown id would make every message fail. */
function campaignOf({ campaign }: LaneHead, site: Site): { campaignId?: string } {
  const chosen = campaign === null || !isCampaign(site.routes ?? [], site.campaign, campaign) ? undefined : campaign;
  const id = chosen ?? (campaign === "" ? undefined : site.campaign);
  return id === undefined ? {} : { campaignId: id };
}

type ServicesDeps = {
  clock: Clock;
  log: Log;
  /** Counts a second call that one message makes. */
  countSecondCall: (account: string) => void;
  /**
   * Whether this node may send visitors' messages of an account now. Asked right before a request is written: the lease may
   * have ended while contact details or a file were read, or while the call waited for a connection.
   */
  maySend: (account: string) => boolean;
};

/** How long messages are sent without a refused campaign, in ms. */
const REFUSED_MS = 600_000;

/** Whether the service may have refused a message because of its campaign. A second call without the campaign shows it. */
const mayBeCampaign = ({ kind, status }: Outcome): boolean =>
  kind === "permanent" && (status === 400 || status === 404);
const namesCampaign = ({ status, message }: Outcome): boolean => status === 404 || /campaign/i.test(message);

function createRouting({ clock, log, countSecondCall }: Omit<ServicesDeps, "maySend">): Routed {
  /** Refused campaigns by account and id, each with the time until which messages are sent without it. */
  const refused = new Map<string, number>();
  return async (site, message, call) => {
    const { campaignId } = message;
    if (campaignId === undefined) return call(message);
    const fallback = site.campaignFallback === true;
    const { campaignId: _, ...without } = message;
    const name = `${site.account}:${campaignId}`;
    const logRefusal = () => log("campaign.refused", { site: site.public.id, campaign: campaignId, fallback });
    if (fallback && (refused.get(name) ?? 0) > clock.uptime()) return call(without as typeof message);
    const outcome = await call(message);
    if (!mayBeCampaign(outcome)) return outcome;
    if (!fallback) {
      if (namesCampaign(outcome)) logRefusal();
      return outcome;
    }
    countSecondCall(site.account);
    const second = await call(without as typeof message);
    if (isAccepted(second)) {
      refused.set(name, clock.uptime() + REFUSED_MS);
      logRefusal();
    }
    return second;
  };
}

/** Creates the clients of all accounts. */
export function createServices(
  settings: Settings,
  keys: Keys,
  sites: Sites,
  attachFile: AttachFile,
  { clock = realClock, log = silentLog, countSecondCall = () => {}, maySend = () => true }: Partial<ServicesDeps> = {},
): Services {
  const routed = createRouting({ clock, log, countSecondCall });
  /** Sites that are no longer configured but have waiting messages; each is logged once. */
  const loggedSites = new Set<string>();
  const clients = new Map<string, Service>(
    settings.accounts.map(({ id, url }) => [
      id,
      createService({ baseUrl: url, key: () => keys.of(id), allowInsecure: settings.allowInsecureService }),
    ]),
  );
  return {
    async send(head, about) {
      const client = clients.get(head.account);
      const site = sites.find(head.site);
      // The site or account is no longer configured. Its messages wait until it is back; other messages are not affected.
      if (client === undefined || site === undefined) {
        if (!loggedSites.has(head.site))
          log("settings.warning", { warning: `messages wait for site ${head.site}, which is no longer configured` });
        loggedSites.add(head.site);
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
        const outcome = await attachFile(head, (file) =>
          routed(site, message, (sent) => client.incoming({ ...sent, ...file }, kind, () => maySend(head.account))),
        );
        return outcome === "missing" ? { kind: "permanent", status: 0, message: "its file no longer exists" } : outcome;
      } catch (error) {
        return { kind: "unready", status: 0, message: `its file cannot be read: ${String(error)}` };
      }
    },
    routed,
    clientOf: (account) => clients.get(account),
    close: async () => {
      for (const client of clients.values()) await client.close();
    },
  };
}
