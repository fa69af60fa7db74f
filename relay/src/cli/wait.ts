import type { Entry } from "../records/ledger.ts";
import { Complaint, type Given } from "./command.ts";
import type { Office } from "./office.ts";

const LOOK_MS = 200;

/** The entry once it is settled, or as it stands after `--wait` seconds (default 15): the relay makes the call. */
export async function settledWithin(
  { clock }: Office,
  given: Given,
  read: () => Promise<Entry | undefined>,
): Promise<Entry> {
  const seconds = Number(given.text("wait") ?? 15);
  if (!Number.isFinite(seconds) || seconds < 0) throw new Complaint("--wait takes seconds.", 2);
  const until = clock.uptime() + seconds * 1_000;
  for (;;) {
    const entry = await read();
    if (entry === undefined) throw new Complaint("The ledger does not hold this entry.");
    if (!["intent", "calling"].includes(entry.state) || clock.uptime() >= until) return entry;
    await new Promise<void>((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
