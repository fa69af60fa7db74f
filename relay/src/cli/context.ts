import { existsSync } from "node:fs";
import { realClock } from "../base/clock.ts";
import type { Settings, Site } from "../base/config.ts";
import { assertDataFolder } from "../base/folder.ts";
import { createKeys } from "../base/keys.ts";
import { createLog } from "../base/log.ts";
import { readSecrets } from "../base/secrets.ts";
import { createBus } from "../bus/bus.ts";
import { assertCurrent } from "../db/migrate.ts";
import { databaseFile, openDatabase } from "../db/open.ts";
import { createLinks } from "../files/links.ts";
import type { Enclose } from "../flows/enclose.ts";
import { createEndings } from "../flows/endings.ts";
import { createForget } from "../flows/forget.ts";
import { createSend } from "../flows/send/send.ts";
import { createServices } from "../flows/services.ts";
import { createSites } from "../records/sites.ts";
import type { Inside } from "../relay.ts";
import { createGates } from "../service/gates.ts";
import { openFiles } from "../wiring/files.ts";
import { createOwnerFlows } from "../wiring/owner.ts";
import { CommandError } from "./error.ts";

/** Messages with files are the relay's business: nothing is carried from the command line. */
const noFiles: Enclose = async (_head, carry) => carry(undefined);

/** The parts of a relay that commands work with: inside a running one, or made for them alone. */
export function contextOf(parts: Inside & { close: () => Promise<void> }) {
  const { settings, sites, owner, ...others } = parts;

  /** The named site, or the only one. @throws CommandError when it is not there, or not clear */
  function site(name: string | undefined): Site {
    const found = name === undefined ? settings.sites.length === 1 && settings.sites[0] : sites.find(name);
    if (found) return found;
    const all = settings.sites.map(({ public: { id } }) => id).join(", ");
    throw new CommandError(
      name === undefined ? `--site is needed: one of ${all}.` : `No site "${name}"; there are ${all}.`,
      2,
    );
  }
  return { ...others, ...owner, settings, sites, site };
}

export type CommandContext = ReturnType<typeof contextOf>;

/**
 * The relay's records and flows without its doors, for commands while no relay runs. What must be called once is written
 * to the ledger here, and called by the relay. Makes neither folder nor secrets nor database.
 */
export async function openContext(settings: Settings): Promise<CommandContext> {
  assertDataFolder(settings.dataDir);
  const secrets = readSecrets(settings.dataDir);
  const keys = createKeys(settings.accounts);
  const log = createLog({ level: "silent" });
  const clock = realClock;
  if (!existsSync(databaseFile(settings.databaseUrl)))
    throw new Error(`DATABASE_URL: ${settings.databaseUrl} does not exist; start the relay first`);
  const db = openDatabase(settings.databaseUrl);
  await assertCurrent(db);
  const bus = createBus();
  const sites = createSites(settings.sites, () => []);
  const services = createServices(settings, keys, sites, noFiles);
  const { signing } = secrets;
  const files = openFiles(settings);
  const links = createLinks(signing, clock.now);
  const flows = { settings, db, bus, clock, log, services, sites, signing };
  /** For calls while no relay runs: they keep the service's times, too. */
  const gates = createGates({
    ...{ accounts: settings.accounts, clock, log, keyOf: keys.of, reloadKeys: keys.reload },
    ...{ onDelivery: () => {}, onOpen: () => {} },
  });
  const owner = createOwnerFlows({ ...flows, gates });
  const { horizon } = settings;
  return contextOf({
    ...{ settings, db, clock, sites, services, keys, files, signing, owner },
    running: false,
    forget: createForget({ db, bus, clock }),
    send: createSend({ db, bus, clock, horizon, wake: () => {}, tell: owner.tell }),
    endings: createEndings({ db, bus, clock }),
    linkTo: links.to,
    callbackSecret: settings.callbackSecrets[0] ?? secrets.callback,
    async close(): Promise<void> {
      await services.close();
      await owner.stop();
      await files.close();
      await db.close();
    },
  });
}
