import { resolve } from "node:path";
import type { Settings } from "../base/config.ts";
import { fileOf, isShared } from "../db/database-url.ts";
import { MigrationFailed } from "../db/migrate.ts";
import { oneReadPerTick } from "../db/one-read-per-tick.ts";
import type { Relay } from "../relay.ts";
import { contextOf } from "./context.ts";
import { openControl } from "./control.ts";
import { dataProblemOf, isDataError } from "./data-errors.ts";
import { CommandError } from "./error.ts";

/**
 * The process exits after this time (ms) even if stopping is not complete. Nothing is lost: everything acknowledged is on disk.
 */
const STOP_MS = 28_000;
/** Time for the last log line to be written, in ms. */
const LOG_MS = 100;

/** Converts an error of the start to one sentence with the setting to change. Unknown errors keep their stack. */
function explain(error: unknown, settings: Settings): string {
  if (error instanceof MigrationFailed) return `${error.step}: ${explain(error.cause, settings)}`;
  const { port, host } = settings;
  const { code = "", syscall = "", message, stack } = error as NodeJS.ErrnoException;
  if (code === "") return message;
  if (code === "EADDRINUSE")
    return `Port ${port} is in use. Set PORT to another one, or stop the program that listens there.`;
  if (syscall === "listen" && code === "EACCES")
    return `PORT: this user may not use port ${port}; choose one above 1023.`;
  if (code === "ENOTFOUND" || code === "EADDRNOTAVAIL") return `HOST: ${host} is not an address of this machine.`;
  if (isDataError(error, settings)) {
    const { why, cure } = dataProblemOf(error, settings);
    return `${why}. ${cure}`;
  }
  return stack ?? message;
}

/** A running relay's settings for another process: with absolute paths, and with the keys instead of where to find them. */
function portable({ settings, keys }: Relay["internals"]): Settings {
  const { databaseUrl: url } = settings;
  const databaseUrl = isShared(url) ? url : `sqlite:${resolve(fileOf(url))}`;
  const accounts = settings.accounts.map((account) => ({ ...account, key: { value: keys.of(account.id) } }));
  return { ...settings, dataDir: resolve(settings.dataDir), databaseUrl, accounts };
}

/** Lets a running relay accept commands on a socket in its data folder. Its `stop` closes the socket, too. */
export async function acceptCommands(relay: Relay): Promise<Relay> {
  const { internals, log } = relay;
  // The reads of commands and of Doctor take turns with the relay's other work.
  const own = () => ({ ...internals, db: oneReadPerTick(internals.db), close: async () => {} });
  const control = await openControl(internals.settings.dataDir, {
    log,
    settings: () => portable(internals),
    async run(argv) {
      // Loaded with the first command, so that the relay starts faster.
      const { runOn } = await import("./commands.ts");
      return runOn(contextOf(own()), argv);
    },
  });
  internals.doctor.examine = async () => {
    const { examine } = await import("./doctor.ts");
    return examine(contextOf(own()));
  };
  if (control !== undefined) relay.describe({ control: control.path });
  return { ...relay, stop: () => (control?.close() ?? Promise.resolve()).then(relay.stop) };
}

/**
 * Runs the relay until a signal stops it.
 * @param start starts a relay with these settings
 * @throws CommandError when it cannot start
 */
export async function serve(settings: Settings, start: (settings: Settings) => Promise<Relay>): Promise<void> {
  const starting = start(settings).then(acceptCommands);
  let running: Relay | undefined;
  const cutOff = (): void => {
    running?.log("relay.stop_cut_off", { waitedFor: running.stopStep() });
    setTimeout(() => process.exit(1), LOG_MS);
  };
  const stop = (): void => {
    setTimeout(cutOff, STOP_MS).unref();
    for (const signal of ["SIGTERM", "SIGINT"] as const)
      process.removeAllListeners(signal).once(signal, () => process.exit(1));
    void starting.then((relay) => relay.stop()).then(() => process.exit(0));
  };
  // Set before the relay listens: otherwise a signal during the start would end it without a clean stop.
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
  const relay = await starting.catch((error: unknown) => {
    throw new CommandError(explain(error, settings));
  });
  running = relay;
  process.on("SIGHUP", relay.reload);
}
