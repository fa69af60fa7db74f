import { accountLease } from "../db/lease-names.ts";
import { createAttachFile } from "../flows/attach-file.ts";
import { createServices, type Services } from "../flows/services.ts";
import { createGates, type Gates } from "../service/gates.ts";
import type { Core } from "./core.ts";
import type { FileStorage } from "./files.ts";
import { countingGates } from "./metrics.ts";

/** Events about accounts for the rest of the relay. */
type ServiceEvents = {
  /** Called when an account's messages start or stop being delivered, by this node or another one. */
  onDelivery: (account: string) => void;
  /** Called when refused calls may be made again. */
  onOpen: (account: string, why: "newKey" | "accepted") => void;
};

/** How the relay calls the messaging service: one client per account, paced per account key. */
export function createServiceAccess(core: Core, { files, publicLink }: FileStorage, events: ServiceEvents) {
  const { settings, clock, log, metrics, keys, sites, cluster } = core;
  const attachFile = createAttachFile({ files, link: settings.uploads.embed ? undefined : publicLink });
  const countSecondCall = (account: string): void => gates.countSecondCall(account);
  const maySend = (account: string): boolean => cluster.leases.holds(accountLease(account));
  const services: Services = createServices(settings, keys, sites, attachFile, {
    clock,
    log,
    countSecondCall,
    maySend,
  });
  const gates: Gates = countingGates(
    createGates({
      clock,
      log,
      accounts: settings.accounts,
      keyOf: keys.of,
      reloadKeys: keys.reload,
      onOpen: events.onOpen,
      onDelivery: (account) => delivery.changed(account),
    }),
    metrics,
  );
  cluster.sharePaces(gates);
  const accounts = settings.accounts.map(({ id }) => id);
  const delivery = cluster.shareDelivery({
    accounts,
    holds: maySend,
    own: gates.delivery,
    onChange: events.onDelivery,
  });
  return { services, gates, deliveryOf: delivery.of };
}

export type ServiceAccess = ReturnType<typeof createServiceAccess>;
