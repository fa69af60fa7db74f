type Job = { run: () => Promise<void>; done: () => void };
type Lane = { busy: boolean; waiting: Job[] };

export type Lanes = {
  /** Runs a job after all earlier jobs of the same key. Resolves when it has run, or was dropped by `clear`. */
  run(key: string, job: () => Promise<void>): Promise<void>;
  /** Drops the waiting jobs. */
  clear(): void;
};

/** Queues of jobs by key: jobs of one key run one at a time, jobs of different keys in parallel. */
export function createLanes(): Lanes {
  const lanes = new Map<string, Lane>();

  async function drain(key: string, lane: Lane): Promise<void> {
    lane.busy = true;
    for (let job = lane.waiting.shift(); job !== undefined; job = lane.waiting.shift()) {
      await job.run();
      job.done();
    }
    lane.busy = false;
    if (lanes.get(key) === lane) lanes.delete(key);
  }

  return {
    run(key, job) {
      const lane = lanes.get(key) ?? { busy: false, waiting: [] };
      lanes.set(key, lane);
      return new Promise((done) => {
        lane.waiting.push({ run: job, done });
        if (!lane.busy) void drain(key, lane);
      });
    },
    clear() {
      for (const { waiting } of lanes.values()) for (const { done } of waiting.splice(0)) done();
      lanes.clear();
    },
  };
}
