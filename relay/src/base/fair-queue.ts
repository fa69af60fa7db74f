/**
 * Waits until a job may begin.
 * @param name the owner of the job
 * @param isGone whether the job is no longer needed
 * @param continues the job continues work that has begun: it goes before jobs of the same name that begin work
 */
export type FairQueue = (name: string, isGone?: () => boolean, continues?: boolean) => Promise<void>;

type Waiting = { begin: () => void; isGone: () => boolean };
/** The jobs of one name that continue work, and those that begin some. */
type Jobs = { later: Waiting[]; first: Waiting[] };

/**
 * Lets at most `most` jobs begin in one tick of the event loop. A job begins at once while no other waits. Otherwise every name has
 * its own queue, and the names take turns, so that a name with a thousand jobs does not delay a name with one job. A job that is no
 * longer needed takes no slot.
 */
export function createFairQueue(most: number): FairQueue {
  /** Jobs by name; the first name is the next. */
  const queues = new Map<string, Jobs>();
  let begun = 0;

  /** Takes the next job, and puts its name behind the others. */
  function take(): Waiting | undefined {
    for (const [name, jobs] of queues) {
      queues.delete(name);
      const job = jobs.later.shift() ?? jobs.first.shift();
      if (jobs.later.length + jobs.first.length > 0) queues.set(name, jobs);
      return job;
    }
    return undefined;
  }

  function beginTick(): void {
    begun = 0;
    while (begun < most) {
      const job = take();
      if (job === undefined) break;
      if (!job.isGone()) count();
      job.begin();
    }
  }

  function count(): void {
    if (++begun === 1) setImmediate(beginTick);
  }

  return async (name, isGone = () => false, continues = false) => {
    if (begun < most && queues.size === 0) return count();
    const jobs = queues.get(name) ?? { later: [], first: [] };
    queues.set(name, jobs);
    await new Promise<void>((begin) => (continues ? jobs.later : jobs.first).push({ begin, isGone }));
  };
}
