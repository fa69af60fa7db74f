import type { Batch } from "./database.ts";

/** An item that waits for its commit. The items of a group with the same `work` are passed to it as one list. */
export type Job = {
  work: Batch<unknown, unknown>;
  item: unknown;
  /** The result is not urgent: the job may wait `WAIT_MS` for others. */
  mayWait: boolean;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
};

/** Most jobs in one commit. It limits how long the first job waits for the last one. */
const GROUP_MAX = 500;
/** A group of fewer jobs is small: it does not delay the next one. */
const LARGE_GROUP = 4;
/**
 * After a group of at least `LARGE_GROUP` jobs, the next commit waits up to `SPACING` times the duration of the last one, at most
 * `SPACING_MAX_MS`, but not while the event loop is idle. Fewer commits cost less: one costs about the same for three jobs as for
 * fifty.
 */
const SPACING = 2;
const SPACING_MAX_MS = 5;
/** The event loop counts as idle when one tick takes less than this time, in milliseconds. */
const IDLE_TICK_MS = 0.02;
/**
 * After so many small groups in a row, the next group is written while the last one is flushed, so that a message does not wait for
 * the flush of another visitor's message. After a large group, jobs that come during a flush form one group. Without this rule,
 * groups would stay small under load: with a service that closes its connections, a round trip took 0.2 flushes instead of 0.05,
 * and 1.5 times the CPU.
 */
const SMALL_IN_A_ROW = 2;
/** A group of so many waiting jobs is written at once, because one more flush costs little for each of them. */
const FULL_GROUP = 50;
/** Most groups that are written but not flushed. */
const FLUSHING_MAX = 2;
/** How long a non-urgent job waits for others, in milliseconds. */
const WAIT_MS = 3;

/** Runs `fn` in a later tick of the event loop. */
export type Defer = (fn: () => void) => void;

/** A group that was written. `settled` resolves when it is on the disk and its jobs have their results; never rejects. */
export type Committed = { settled: Promise<void> };

type State = {
  /** Writes a group. Resolves when the next one may be written; never rejects. */
  commit: (jobs: readonly Job[]) => Promise<Committed>;
  defer: Defer | undefined;
  waiting: Job[];
  /** Whether at least one of the waiting jobs is urgent (must not wait). */
  urgent: boolean;
  /** A group is being written. */
  writing: boolean;
  /** Groups that are written and not settled. */
  flushing: number;
  /** Small groups since the last large one. */
  smallInARow: number;
  /** `performance.now()` at which the next group starts; `Infinity`: no start is planned. */
  start: number;
  /** Number of the present plan. An older plan does nothing when its time comes. */
  plan: number;
  /** `performance.now()` before which no commit starts while the event loop is busy. */
  notBefore: number;
};

/** Collects jobs into groups, which are written one after the other. */
export type Groups = {
  /** Adds a job to the next group. */
  add: (job: Job) => void;
  /** Removes and returns the jobs whose commit has not begun. */
  drop: () => Job[];
};

/**
 * Collects jobs into groups. A group starts after this tick of the event loop. While groups are large, it starts after a pause,
 * to collect more jobs. If no job is urgent, the group waits `WAIT_MS` for other jobs.
 * @param commit writes a group and settles its jobs; never rejects
 * @param defer for simulations: starts a group without pauses, in place of the event loop
 */
export function createGroups(commit: State["commit"], defer?: Defer): Groups {
  const state: State = {
    commit,
    defer,
    waiting: [],
    urgent: false,
    writing: false,
    flushing: 0,
    smallInARow: SMALL_IN_A_ROW,
    start: Number.POSITIVE_INFINITY,
    plan: 0,
    notBefore: 0,
  };
  return {
    add(job) {
      state.waiting.push(job);
      state.urgent ||= !job.mayWait;
      schedule(state);
    },
    drop: () => state.waiting.splice(0),
  };
}

const flushingMax = ({ smallInARow, waiting }: State): number =>
  smallInARow < SMALL_IN_A_ROW && waiting.length < FULL_GROUP ? 1 : FLUSHING_MAX;

/** Plans the start of the next group, unless an earlier start is planned. */
function schedule(state: State): void {
  if (state.writing || state.flushing >= flushingMax(state) || state.waiting.length === 0) return;
  const now = state.defer === undefined ? performance.now() : 0;
  const start = state.defer === undefined ? startOf(state, now) : 0;
  if (start >= state.start) return;
  state.start = start;
  const plan = ++state.plan;
  const begin = (): void => {
    if (plan === state.plan) void drain(state);
  };
  if (state.defer !== undefined) state.defer(begin);
  else if (state.urgent) setImmediate(startWhenIdle, state, plan, now);
  else setTimeout(begin, start - now);
}

/** Starts a planned group when its time has come or the event loop is idle; otherwise checks again in the next tick. */
function startWhenIdle(state: State, plan: number, last: number): void {
  if (plan !== state.plan) return;
  const now = performance.now();
  if (now >= state.start || now - last < IDLE_TICK_MS) void drain(state);
  else setImmediate(startWhenIdle, state, plan, now);
}

function startOf({ waiting, urgent, notBefore }: State, now: number): number {
  if (waiting.length >= GROUP_MAX) return now;
  return urgent ? Math.max(notBefore, now) : now + WAIT_MS;
}

async function drain(state: State): Promise<void> {
  const group = state.waiting.splice(0, GROUP_MAX);
  state.urgent = state.waiting.some(({ mayWait }) => !mayWait);
  state.start = Number.POSITIVE_INFINITY;
  if (group.length === 0) return;
  state.writing = true;
  const startedAt = performance.now();
  const { settled } = await state.commit(group);
  const endedAt = performance.now();
  const spacing = Math.min(SPACING_MAX_MS, SPACING * (endedAt - startedAt));
  const small = group.length < LARGE_GROUP;
  state.smallInARow = small ? state.smallInARow + 1 : 0;
  state.notBefore = small ? 0 : endedAt + spacing;
  state.writing = false;
  state.flushing++;
  void settled.then(() => {
    state.flushing--;
    schedule(state);
  });
  schedule(state);
}
