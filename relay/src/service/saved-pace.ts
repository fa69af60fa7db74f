import { advance, countAt, inSlot, type Pace, RING, slotMs } from "./pace.ts";

/**
 * A pace in a form for another node, which continues with it when it takes over the calls of an account. Clocks of
 * nodes differ, so times are stored relative to the moment of saving.
 */
type SavedPace = Pick<Pace, (typeof KEPT_FIELDS)[number]> & {
  /** Ms from each of these times to the moment of saving; negative for a time that is ahead. */
  ago: Record<(typeof TIMES)[number], number>;
  /** Answered calls: pairs of the slot, counted back from the newest one, and the number of calls in it. */
  counts: [slot: number, calls: number][];
  /** Calls without an answer. */
  flying: number;
};

/** Fields that another node continues with as they are. */
const KEPT_FIELDS = [
  "windowMs",
  "budget",
  "trusted",
  "known",
  "stated",
  "distrusted",
  "shown",
  "stray",
  "spreadMs",
  "tookMs",
  "accepted",
  "refusals",
  "trialsInVain",
  "bold",
  "repeats",
] as const;

/** Fields that are times of this process's clock. */
const TIMES = [
  "lastAt",
  "knownAt",
  "grownAt",
  "refusedAt",
  "shownUntil",
  "spreadUntil",
  "pausedUntil",
  "restUntil",
  "nextTrialAt",
  "repeatsAt",
] as const;

/** Changes with the fields of `SavedPace`. Nodes of different releases ignore each other's paces. */
const FORMAT = 2;

const keptOf = (pace: Pick<Pace, (typeof KEPT_FIELDS)[number]>): Pick<Pace, (typeof KEPT_FIELDS)[number]> =>
  Object.fromEntries(KEPT_FIELDS.map((field) => [field, pace[field]])) as typeof pace;

/**
 * Writes a pace as text.
 * @param time now, in ms of this process's clock
 */
export function savePace(pace: Pace, time: number): string {
  advance(pace, time);
  const ago = Object.fromEntries(TIMES.map((field) => [field, time - pace[field]])) as SavedPace["ago"];
  const slots = Array.from({ length: RING }, (_, back): [number, number] => [back, inSlot(pace, pace.newest - back)]);
  const counts = slots.filter(([, calls]) => calls > 0);
  const saved: SavedPace = { ...keptOf(pace), ago, counts, flying: pace.unanswered + pace.older };
  return JSON.stringify({ format: FORMAT, ...saved });
}

/**
 * Continues with a pace that another node saved; does nothing with a pace of another release's format. A check of a higher
 * budget, and a refusal that was not judged yet, are dropped; the pause after the refusal is kept. A later refusal that
 * this node received, perhaps as an earlier holder of the lease, is kept too. Calls without an answer at the moment of
 * saving count as answered then.
 * @param text as `savePace` wrote it
 * @param age ms since then
 * @param time now, in ms of this process's clock
 */
export function resumePace(pace: Pace, text: string, age: number, time: number): void {
  const { format, ...saved } = JSON.parse(text) as SavedPace & { format: number };
  if (format !== FORMAT) return;
  const savedAt = time - age;
  const { pausedUntil, restUntil, refusals, refusedAt, stray } = pace;
  Object.assign(pace, keptOf(saved), Object.fromEntries(TIMES.map((field) => [field, savedAt - saved.ago[field]])));
  if (refusedAt > pace.refusedAt) Object.assign(pace, { refusals, refusedAt, stray });
  pace.pausedUntil = Math.max(pace.pausedUntil, pausedUntil);
  pace.restUntil = Math.max(pace.restUntil, restUntil);
  pace.budget = Math.min(pace.ceiling, saved.budget);
  pace.pending = undefined;
  pace.trial = undefined;
  // Answers to this process's earlier calls say nothing about the pace that it continues with.
  pace.period++;
  pace.older += pace.unanswered;
  pace.unanswered = 0;
  resumeCounts(pace, saved, savedAt);
  advance(pace, time);
}

/** The slots of two clocks begin at different times: a call counts in the later one of the two slots that it may be in. */
function resumeCounts(pace: Pace, { counts, flying }: SavedPace, savedAt: number): void {
  pace.counts.fill(0);
  pace.counted = 0;
  pace.newest = Math.floor(savedAt / slotMs(pace)) + 1;
  pace.oldest = pace.newest - RING + 1;
  for (const [back, calls] of counts) countAt(pace, pace.newest - back, calls);
  countAt(pace, pace.newest, flying);
}
