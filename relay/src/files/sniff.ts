import { Worker } from "node:worker_threads";

/** A question to the worker, and its answer: the detected MIME type, or nothing for bytes of an unknown type. */
export type Question = { id: number; head: Uint8Array };
export type Answer = { id: number; type: string | undefined };

/** Number of bytes that detection needs. */
export const HEAD = 4_100;
/** Detection takes less than a millisecond. Bytes that keep it busy this long are an attack. */
const PATIENCE_MS = 1_000;
/** A new thread loads its code first, which takes seconds on a busy machine. */
const START_FACTOR = 10;

export type Sniffer = {
  /** Detects the MIME type from the first bytes; nothing when they show none, or when it takes too long. */
  sniff: (head: Uint8Array) => Promise<string | undefined>;
  close: () => Promise<void>;
};

/**
 * Detects types on a thread with a time limit, as the authors of file-type recommend: bytes that keep a parser busy then
 * block a thread, not the relay (RELIABILITY 3e, A18). The thread starts with the first upload and is replaced when it hangs.
 * @param script the worker's code; another one in tests
 */
export function createSniffer(script: URL = new URL("./sniffer.ts", import.meta.url), patience = PATIENCE_MS): Sniffer {
  const waiting = new Map<number, (type: string | undefined) => void>();
  let worker: Worker | undefined;
  /** The thread has answered a question. */
  let warm = false;
  let count = 0;

  /** The thread has ended: questions that wait for it get no type. */
  function abandon(given: Worker): void {
    if (worker !== given) return;
    worker = undefined;
    for (const answer of [...waiting.values()]) answer(undefined);
  }

  function start(): Worker {
    const fresh = new Worker(script);
    fresh.unref();
    warm = false;
    fresh.on("message", ({ id, type }: Answer) => {
      warm = worker === fresh;
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
        const limit = warm ? patience : patience * START_FACTOR;
        const timer = setTimeout(() => {
          abandon(asked);
          void asked.terminate();
        }, limit);
        waiting.set(id, (type) => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(type);
        });
        asked.postMessage({ id, head } satisfies Question);
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
