import { existsSync } from "node:fs";
import { type Clock, realClock } from "../base/clock.ts";
import type { Settings } from "../base/config.ts";
import { assertDataFolder } from "../base/folder.ts";
import { createKeys, type Keys } from "../base/keys.ts";
import { createLog, type Log } from "../base/log.ts";
import { readSecrets } from "../base/secrets.ts";
import { createBus } from "../bus/bus.ts";
import { databaseFile, isShared } from "../db/database-url.ts";
import { assertCurrent } from "../db/migrate.ts";
import { openDatabase } from "../db/open.ts";
import { shareSecrets } from "../db/secrets.ts";
import { createLinks } from "../files/links.ts";
import type { AttachFile } from "../flows/attach-file.ts";
import { createBackups } from "../flows/backup/schedule.ts";
import { createForget } from "../flows/forget.ts";
import { createRetention } from "../flows/retention.ts";
import { createSend } from "../flows/send/send.ts";
import { createServices } from "../flows/services.ts";
import { createSessionEndings } from "../flows/session-endings.ts";
import { createSites } from "../records/sites.ts";
import { createGates } from "../service/gates.ts";
import { openFiles } from "../wiring/files.ts";
import { createOwnerFlows } from "../wiring/owner.ts";
import { createReload } from "../wiring/reload.ts";
import { type CommandContext, contextOf } from "./context.ts";

/** The command line never delivers messages, so it needs no files. */
const noFiles: AttachFile = async (_head, send) => send(undefined);

/** Gates for the commands' calls: they respect the account's rate limit even while no relay runs. */
const gatesOf = ({ accounts }: Settings, keys: Keys, clock: Clock, log: Log) =>
  createGates({
    accounts,
    clock,
    log,
    keyOf: keys.of,
    reloadKeys: keys.reload,
    onDelivery: () => {},
    onOpen: () => {},
  });

/**
 * Opens the data of a relay that does not run. Calls that must not be repeated are written to the ledger; the relay makes
 * them after its start. Creates neither folder nor secrets nor database.
 */
export async function openContext(settings: Settings): Promise<CommandContext> {
  assertDataFolder(settings.dataDir);
  const keys = createKeys(settings.accounts);
  const log = createLog({ level: "silent" });
  const clock = realClock;
  if (!isShared(settings.databaseUrl) && !existsSync(databaseFile(settings.databaseUrl)))
    throw new Error(`DATABASE_URL: ${settings.databaseUrl} does not exist; start the relay first`);
  const db = await openDatabase(settings.databaseUrl);
  await assertCurrent(db);
  const secrets = await shareSecrets(db, () => readSecrets(settings.dataDir));
  const bus = createBus();
  const sites = createSites(settings.sites, () => []);
  const services = createServices(settings, keys, sites, noFiles);
  const { signing } = secrets;
  const files = openFiles(settings);
  const links = createLinks(signing, clock.now);
  const flows = { settings, db, bus, clock, log, services, sites, signing };
  const owner = createOwnerFlows({ ...flows, gates: gatesOf(settings, keys, clock, log) });
  const { horizon } = settings;
  const forget = createForget({ db, bus, clock });
  const backups = createBackups({ db, clock, log, settings, works: () => true });
  return contextOf({
    settings,
    db,
    clock,
    sites,
    services,
    keys,
    files,
    signing,
    owner,
    running: false,
    reload: createReload({ settings, sites, log, reloadKeys: keys.reload }),
    doctor: { examine: async () => [] },
    forget,
    retention: createRetention({ db, clock, log, sites, seriesDays: settings.seriesDays, forget, works: () => true }),
    backups,
    send: createSend({ db, bus, clock, horizon, wake: () => {}, storeEvent: owner.storeEvent }),
    endings: createSessionEndings({ db, bus, clock }),
    linkTo: links.to,
    callbackSecret: settings.callbackSecrets[0] ?? secrets.callback,
    async close(): Promise<void> {
      await services.close();
      await owner.stop();
      await files.close();
      await backups?.stop();
      await db.close();
    },
  });
}
