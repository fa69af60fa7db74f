import { Worker } from "node:worker_threads";

/** What the worker is asked, and what it answers: the sniffed MIME type, or nothing for bytes of no known kind. */
export type Question = { id: number; head: Uint8Array };
export type Answer = { id: number; type: string | undefined };

/** The bytes that sniffing looks at. */
export const HEAD = 4_100;
/** Sniffing takes less than a millisecond. Bytes that keep it busy for so long are an attack on it. */
const PATIENCE_MS = 1_000;
/** A fresh thread loads its code first, which takes seconds on a machine that is busy with other things. */
const START_FACTOR = 10;

export type Sniffer = {
  /** The MIME type that the first bytes tell of; nothing when they tell none, or in no reasonable time. */
  sniff: (head: Uint8Array) => Promise<string | undefined>;
  close: () => Promise<void>;
};

/**
 * Sniffs in a thread of its own with a time limit, as file-type's authors ask: bytes made to keep a parser busy then cost
 * a thread, not the relay (RELIABILITY 3e, A18). The thread starts with the first upload and is replaced when it hangs.
 * @param script the worker's code; another one in tests
 */
export function createSniffer(script: URL = new URL("./sniffer.ts", import.meta.url), patience = PATIENCE_MS): Sniffer {
  const waiting = new Map<number, (type: string | undefined) => void>();
  let worker: Worker | undefined;
  /** The thread has answered before. */
  let warm = false;
  let count = 0;

  /** The thread is gone: whoever waited for it gets no answer. */
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
