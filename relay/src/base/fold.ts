import type { Clock } from "./clock.ts";
import type { Log, LogEvent } from "./log.ts";

/** Events that anybody can cause as often as they like. */
const FOLDED: ReadonlySet<LogEvent> = new Set<LogEvent>([
  "callback.wrong_secret",
  "callback.wrong_address",
  "identity.refused",
  "session.reused",
  "guard.refused",
]);
/** A line at once, and one with the count of all others of the same kind after so many milliseconds. */
const PERIOD_MS = 60_000;

/** The same log, in which lines that strangers cause are folded, so that they cannot fill a disk. */
export function folding(log: Log, clock: Pick<Clock, "after">): Log {
  const folded = new Map<LogEvent, number>();

  function unfold(event: LogEvent): void {
    const count = folded.get(event) ?? 0;
    folded.delete(event);
    if (count > 0) log(event, { count, seconds: PERIOD_MS / 1_000 });
  }

  return (event, details) => {
    if (!FOLDED.has(event)) return log(event, details);
    const count = folded.get(event);
    folded.set(event, (count ?? -1) + 1);
    if (count !== undefined) return;
    log(event, details);
    clock.after(PERIOD_MS, () => unfold(event));
  };
}
