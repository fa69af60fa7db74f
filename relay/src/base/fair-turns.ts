/** Waits for a client's turn. @param name who the client counts as. @param isGone whether the client no longer needs its turn */
export type FairTurns = (name: string, isGone?: () => boolean) => Promise<void>;

type Waiting = { begin: () => void; isGone: () => boolean };

/**
 * Lets at most `most` jobs begin in one turn of the event loop. A job begins at once while nobody waits. Otherwise every name has
 * its own queue, and the names take turns, so that one with a thousand jobs does not delay another with one job.
 */
export function createFairTurns(most: number): FairTurns {
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

  function beginTurn(): void {
    begun = 0;
    while (begun < most) {
      const job = take();
      if (job === undefined) break;
      if (!job.isGone()) count();
      job.begin();
    }
  }

  function count(): void {
    if (++begun === 1) setImmediate(beginTurn);
  }

  return async (name, isGone = () => false) => {
    if (begun < most && queues.size === 0) return count();
    const queue = queues.get(name) ?? [];
    queues.set(name, queue);
    await new Promise<void>((begin) => queue.push({ begin, isGone }));
  };
}
