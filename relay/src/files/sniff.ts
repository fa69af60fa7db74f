import { Worker } from "node:worker_threads";

/** A request to the worker: the first bytes of a file. `id` names the request in the answer. */
export type SniffRequest = { id: number; head: Uint8Array };
/** The worker's answer: the detected MIME type, or undefined for bytes of an unknown type. */
export type SniffResult = { id: number; type: string | undefined };

/** Number of bytes that detection needs. */
export const HEAD_BYTES = 4_100;
/** Longest time of a detection, in ms. It usually takes less than one; bytes that take this long are an attack. */
const TIMEOUT_MS = 1_000;
/** The first answer of a thread may take this many times as long, because it loads its code first: seconds on a busy machine. */
const START_FACTOR = 10;

/** Detects the types of files. */
export type Sniffer = {
  /** Detects the MIME type from the first bytes; undefined when it is unknown, or when detection takes too long. */
  sniff: (head: Uint8Array) => Promise<string | undefined>;
  /** Ends the thread. Detections that are under way resolve to undefined. */
  close: () => Promise<void>;
};

/**
 * Detects types on a thread with a time limit, as the authors of file-type recommend: bytes that keep a parser busy then block
 * a thread, not the relay (RELIABILITY 3e, A18). The thread starts with the first upload and is replaced when it hangs.
 * @param script the worker's code; tests pass another one
 * @param timeout longest time of a detection, in milliseconds
 */
export function createSniffer(
  script: URL = new URL("./sniff-worker.ts", import.meta.url),
  timeout = TIMEOUT_MS,
): Sniffer {
  const waiting = new Map<number, (type: string | undefined) => void>();
  let worker: Worker | undefined;
  /** The thread has given an answer. */
  let hasAnswered = false;
  let count = 0;

  /** The thread has ended: requests that wait for it get no type. */
  function abandon(given: Worker): void {
    if (worker !== given) return;
    worker = undefined;
    for (const answer of [...waiting.values()]) answer(undefined);
  }

  function start(): Worker {
    const fresh = new Worker(script);
    fresh.unref();
    hasAnswered = false;
    fresh.on("message", ({ id, type }: SniffResult) => {
      hasAnswered = worker === fresh;
      waiting.get(id)?.(type);
    });
    fresh.on("error", () => abandon(fresh));
    fresh.on("exit", () => abandon(fresh));
    return fresh;
  }

  return {
    sniff(head) {
      worker ??= start();
      const asked = worker;
      const id = count++;
      return new Promise((resolve) => {
        const limit = hasAnswered ? timeout : timeout * START_FACTOR;
        const timer = setTimeout(() => {
          abandon(asked);
          void asked.terminate();
        }, limit);
        waiting.set(id, (type) => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(type);
        });
        asked.postMessage({ id, head } satisfies SniffRequest);
      });
    },
    async close() {
      const last = worker;
      if (last === undefined) return;
      abandon(last);
      await last.terminate();
    },
  };
}
