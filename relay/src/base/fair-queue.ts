/** Waits until a job may begin. @param name the owner of the job. @param isGone whether the job is no longer needed */
export type FairQueue = (name: string, isGone?: () => boolean) => Promise<void>;

type Waiting = { begin: () => void; isGone: () => boolean };

/**
 * Lets at most `most` jobs begin in one tick of the event loop. A job begins at once while no other waits. Otherwise every name has
 * its own queue, and the names take turns, so that a name with a thousand jobs does not delay a name with one job. A job that is no
 * longer needed takes no slot.
 */
export function createFairQueue(most: number): FairQueue {
  /** Jobs by name; the first name is the next. */
  const queues = new Map<string, Waiting[]>();
  let begun = 0;

  /** Takes the next job, and puts its name behind the others. */
  function take(): Waiting | undefined {
    for (const [name, queue] of queues) {
      queues.delete(name);
      const job = queue.shift();
      if (queue.length > 0) queues.set(name, queue);
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

  return async (name, isGone = () => false) => {
    if (begun < most && queues.size === 0) return count();
    const queue = queues.get(name) ?? [];
    queues.set(name, queue);
    await new Promise<void>((begin) => queue.push({ begin, isGone }));
  };
}
