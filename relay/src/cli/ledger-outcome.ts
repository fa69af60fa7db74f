import type { LedgerEntry } from "../records/ledger/ledger.ts";
import { type CommandArgs, waitSeconds } from "./command.ts";
import type { CommandContext } from "./context.ts";
import { CommandError } from "./error.ts";

const CHECK_MS = 200;
const WAIT_SECONDS = 15;

/** The exit code for a ledger entry: 3 while it is unfinished or unknown. */
export function exitCodeOf({ kind, state }: LedgerEntry): 0 | 1 | 3 {
  if (state === "done") return 0;
  // A refused message has failed. A refused grant can still be corrected and approved.
  return state === "dismissed" || (state === "refused" && kind === "send") ? 1 : 3;
}

/**
 * Waits until the relay has made the entry's call, at most `--wait` seconds (default 15), and returns the entry. It does not
 * wait for retries.
 */
export async function waitUntilSettled(
  { clock }: CommandContext,
  given: CommandArgs,
  read: () => Promise<LedgerEntry | undefined>,
): Promise<LedgerEntry> {
  const until = clock.uptime() + waitSeconds(given, WAIT_SECONDS) * 1_000;
  for (;;) {
    const entry = await read();
    if (entry === undefined) throw new CommandError("The ledger does not contain this entry.");
    const refused = entry.state === "intent" && /^4(?!29)/.test(entry.reason ?? "");
    if (refused || !["intent", "calling"].includes(entry.state) || clock.uptime() >= until) return entry;
    await new Promise<void>((resolve) => setTimeout(resolve, CHECK_MS));
  }
}
