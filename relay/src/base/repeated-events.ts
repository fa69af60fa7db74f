import type { Clock } from "./clock.ts";
import type { Log, LogEvent } from "./log.ts";

/** Events that anybody can cause without limit. */
const COMBINED: ReadonlySet<LogEvent> = new Set<LogEvent>([
  "callback.wrong_secret",
  "callback.wrong_address",
  "identity.refused",
  "session.reused",
  "guard.refused",
  "cluster.foreign_text",
]);
/** Milliseconds. The first event of a kind is logged at once; the others are counted and logged together after this time. */
const PERIOD_MS = 60_000;

/** Wraps a log and combines repeated events that anybody can cause, so that nobody can fill the disk with them. */
export function combineRepeatedEvents(log: Log, clock: Pick<Clock, "after">): Log {
  const counts = new Map<LogEvent, number>();

  function logCount(event: LogEvent): void {
    const count = counts.get(event) ?? 0;
    counts.delete(event);
    if (count > 0) log(event, { count, seconds: PERIOD_MS / 1_000 });
  }

  return (event, details) => {
    if (!COMBINED.has(event)) return log(event, details);
    const count = counts.get(event);
    counts.set(event, (count ?? -1) + 1);
    if (count !== undefined) return;
    log(event, details);
    clock.after(PERIOD_MS, () => logCount(event));
  };
}
