import type { Batch } from "./database.ts";

/** An item that waits for its commit. Jobs with the same `work` are handed to it together. */
export type Job = {
  work: Batch<unknown, unknown>;
  item: unknown;
  /** The job may wait `PATIENCE_MS` for others. */
  patient: boolean;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
};

/** Jobs in one commit at most: bounds how long the first one waits for the last. */
const GROUP_MAX = 500;
/** A smaller group does not delay the next one. */
const COMPANY = 4;
/**
 * After a group of at least `COMPANY` jobs the next commit waits so many times as long as the last one took, at most
 * `SPACING_MAX_MS`: a commit costs about the same for three jobs as for fifty.
 */
const SPACING = 2;
const SPACING_MAX_MS = 5;
/** Milliseconds that a patient job waits for others. */
const PATIENCE_MS = 3;

/** Runs `fn` in a later turn of the event loop. */
export type Defer = (fn: () => void) => void;

/** Runs `fn` after `ms`, and after this turn of the event loop. */
const later = (fn: () => void, ms: number): void => void (ms >= 1 ? setTimeout(fn, ms) : setImmediate(fn));

type State = {
  /** Commits a group and settles its jobs; never rejects. */
  commit: (jobs: readonly Job[]) => Promise<void>;
  defer: Defer | undefined;
  waiting: Job[];
  /** A job that waits is not patient. */
  urgent: boolean;
  committing: boolean;
  /** `performance.now()` at which the next group starts; `Infinity`: no start is planned. */
  start: number;
  /** Number of the planned start: an earlier plan, replaced by a nearer one, does nothing. */
  plan: number;
  /** `performance.now()` before which no commit starts. */
  notBefore: number;
};

/** Collects jobs into groups, one of which is committed at a time. */
export type Groups = {
  add: (job: Job) => void;
  /** Removes and returns the jobs whose commit has not begun. */
  drop: () => Job[];
};

/**
 * Collects jobs into groups. A group starts after this turn of the event loop, or, while groups are large, after a
 * pause in which more jobs come; a group of patient jobs waits for others.
 * @param commit commits the jobs of a group and settles them; never rejects
 * @param defer runs a group in place of the event loop, without pauses: for simulations
 */
export function createGroups(commit: State["commit"], defer?: Defer): Groups {
  const state: State = {
    ...{ commit, defer, waiting: [], urgent: false, committing: false },
    ...{ start: Number.POSITIVE_INFINITY, plan: 0, notBefore: 0 },
  };
  return {
    add(job) {
      state.waiting.push(job);
      state.urgent ||= !job.patient;
      schedule(state);
    },
    drop: () => state.waiting.splice(0),
  };
}

/** Plans the start of the next group, unless one is planned that is early enough. */
function schedule(state: State): void {
  if (state.committing || state.waiting.length === 0) return;
  const now = state.defer === undefined ? performance.now() : 0;
  const start = state.defer === undefined ? startOf(state, now) : 0;
  if (start >= state.start) return;
  state.start = start;
  const plan = ++state.plan;
  const begin = (): void => {
    if (plan === state.plan) void drain(state);
  };
  if (state.defer === undefined) later(begin, start - now);
  else state.defer(begin);
}

function startOf({ waiting, urgent, notBefore }: State, now: number): number {
  if (waiting.length >= GROUP_MAX) return now;
  return Math.max(notBefore, urgent ? now : now + PATIENCE_MS);
}

async function drain(state: State): Promise<void> {
  const group = state.waiting.splice(0, GROUP_MAX);
  state.urgent = state.waiting.some(({ patient }) => !patient);
  state.start = Number.POSITIVE_INFINITY;
  if (group.length === 0) return;
  state.committing = true;
  const begun = performance.now();
  await state.commit(group);
  const ended = performance.now();
  state.notBefore = group.length < COMPANY ? 0 : ended + Math.min(SPACING_MAX_MS, SPACING * (ended - begun));
  state.committing = false;
  schedule(state);
}
