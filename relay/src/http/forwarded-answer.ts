import type { ServerResponse } from "node:http";
import type { BodyBudget, PendingBody } from "./body-budget.ts";

/** Counted for an answer in addition to its last part, in bytes: what the runtime and the kernel keep of it. */
const ANSWER_COST = 64 * 1024;

/**
 * Passes another node's answer to a client, one part after the other. The other node knows only what this node has not read, so
 * this node limits what its clients have not read (RELIABILITY A28).
 * @param outgoing the answer to the client
 * @param budget limits what all clients together leave unread. Above it, the clients that have taken nothing for longest are cut
 *   off; a client that has read everything never is
 * @returns the body of the answer to the client
 */
export function forwardedAnswer(
  answer: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
  budget: BodyBudget,
): ReadableStream<Uint8Array> {
  const parts = answer.getReader();
  const unread: PendingBody = {
    size: 0,
    cutOff() {
      release();
      if (outgoing.writableLength > 0) outgoing.destroy();
    },
  };
  function release(): void {
    budget.remove(unread);
    unread.size = 0;
  }
  outgoing.once("close", release);
  return new ReadableStream(
    {
      async pull(controller) {
        // The other node ended, or the client disconnected: the client sees a broken answer, and reconnects.
        const part = await parts.read().catch(() => void outgoing.destroy());
        release();
        if (part?.value === undefined || outgoing.destroyed) return controller.close();
        controller.enqueue(part.value);
        budget.add(unread, part.value.byteLength + ANSWER_COST);
      },
      cancel: (reason) => parts.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
