/** Notifies waiting tests (`until`) and the inbox of changes. */

export type Changes = {
  /** Reports a change. Cheap without listeners. */
  touch(): void;
  /** Calls `listener` after changes, at most once in each tick of the event loop. @returns a function that removes it */
  watch(listener: () => void): () => void;
  /** Resolves when `holds` returns true. @throws Error after `timeoutMs` */
  until(holds: () => boolean, timeoutMs: number): Promise<void>;
};

/** Collects the reports of one tick of the event loop, so that a busy sandbox calls each listener only once. */
export function createChanges(): Changes {
  const listeners = new Set<() => void>();
  let announced = false;

  function announce() {
    announced = false;
    for (const listener of [...listeners]) listener();
  }

  function touch() {
    if (announced || listeners.size === 0) return;
    announced = true;
    setImmediate(announce);
  }

  function watch(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  function until(holds: () => boolean, timeoutMs: number): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        stop();
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`The condition did not become true within ${timeoutMs} ms: ${holds.toString()}`));
      }, timeoutMs);
      const stop = watch(() => {
        try {
          if (!holds()) return;
          end();
          resolve();
        } catch (error) {
          end();
          reject(error);
        }
      });
    });
  }

  return { touch, watch, until };
}
