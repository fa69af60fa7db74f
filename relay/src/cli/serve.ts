import type { Settings } from "../base/config.ts";
import { createRelay } from "../relay.ts";
import { Complaint } from "./command.ts";
import { isAboutData, unusable } from "./unusable.ts";

/** The process is given up when stopping takes longer. Safe: nothing acknowledged is only in memory. */
const STOP_MS = 28_000;

/** What a person can mend, in one sentence that names the setting; anything else keeps its stack. */
function explain(error: unknown, settings: Settings): string {
  const { port, host } = settings;
  const { code = "", syscall = "", message, stack } = error as NodeJS.ErrnoException;
  if (code === "") return message;
  if (code === "EADDRINUSE") return `Port ${port} is taken. Set PORT to another one, or stop what listens there.`;
  if (syscall === "listen" && code === "EACCES")
    return `PORT: ${port} may not be used by this user; one above 1023 may.`;
  if (code === "ENOTFOUND" || code === "EADDRNOTAVAIL") return `HOST: ${host} is no address of this machine.`;
  if (isAboutData(error, settings)) {
    const { why, cure } = unusable(error, settings);
    return `${why}. ${cure}`;
  }
  return stack ?? message;
}

/** Runs the relay until a signal ends it. @throws Complaint when it cannot start */
export async function serve(settings: Settings): Promise<void> {
  const starting = createRelay(settings);
  const stop = (): void => {
    setTimeout(() => process.exit(1), STOP_MS).unref();
    for (const signal of ["SIGTERM", "SIGINT"] as const)
      process.removeAllListeners(signal).once(signal, () => process.exit(1));
    void starting.then((relay) => relay.stop()).then(() => process.exit(0));
  };
  // Before it listens: a signal in between would end it without letting anybody finish.
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
  const relay = await starting.catch((error: unknown) => {
    throw new Complaint(explain(error, settings));
  });
  process.on("SIGHUP", relay.reload);
}
