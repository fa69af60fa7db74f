import type { Settings, Site } from "../base/config.ts";
import type { Keys } from "../base/keys.ts";
import { isCampaign } from "../base/routes.ts";
import type { Details } from "../records/details.ts";
import type { Head } from "../records/outbox.ts";
import type { Sites } from "../records/sites.ts";
import { createService, type Service } from "../service/api.ts";
import type { Outcome } from "../service/outcome.ts";
import { bodyOf, type Enclose } from "./enclose.ts";

export type Services = {
  /** Hands a message to the account it belongs to, with what the service has not heard of its visitor. Never rejects. */
  carry: (head: Head, about?: Omit<Details, "phone">) => Promise<Outcome>;
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

/** The accounts' clients, and how a message of a site is put to the service. */
export function createServices(settings: Settings, keys: Keys, sites: Sites, enclose: Enclose): Services {
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
      // The site or account left the configuration: nothing is lost, the desk is held until it is back.
      if (client === undefined || site === undefined) {
        return { kind: "config", status: 0, message: `site ${head.site} is not configured` };
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
        const outcome = await enclose(head, (file) => client.incoming({ ...message, ...file }, kind));
        return outcome === "missing" ? { kind: "permanent", status: 0, message: "its file is gone" } : outcome;
      } catch (error) {
        return { kind: "transient", status: 0, message: `its file cannot be read: ${String(error)}` };
      }
    },
    of: (account) => clients.get(account),
    close: async () => {
      for (const client of clients.values()) await client.close();
    },
  };
}
