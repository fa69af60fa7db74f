import type { Entry } from "../records/ledger/ledger.ts";
import type { Given } from "./command.ts";
import type { CommandContext } from "./context.ts";
import { CommandError } from "./error.ts";

const LOOK_MS = 200;

/** The exit code of an entry: 3 while a person must look, be it only at why nothing has happened yet. */
export function codeOf({ kind, state }: Entry): 0 | 1 | 3 {
  if (state === "done") return 0;
  // A message that was refused has failed; a grant can still be corrected and approved.
  return state === "dismissed" || (state === "refused" && kind === "send") ? 1 : 3;
}

/**
 * The entry once its call was made, whatever came of it, or as it stands after `--wait` seconds (default 15): the relay
 * makes the call. One that the service refused is tried again by itself, but nobody waits for that.
 */
export async function settledWithin(
  { clock }: CommandContext,
  given: Given,
  read: () => Promise<Entry | undefined>,
): Promise<Entry> {
  const seconds = Number(given.text("wait") ?? 15);
  if (!Number.isFinite(seconds) || seconds < 0) throw new CommandError("--wait takes seconds.", 2);
  const until = clock.uptime() + seconds * 1_000;
  for (;;) {
    const entry = await read();
    if (entry === undefined) throw new CommandError("The ledger does not hold this entry.");
    const refused = entry.state === "intent" && /^4(?!29)/.test(entry.reason ?? "");
    if (refused || !["intent", "calling"].includes(entry.state) || clock.uptime() >= until) return entry;
    await new Promise<void>((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
