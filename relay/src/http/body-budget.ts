/** Most bytes that all bodies of clients without a secret together keep in memory. */
const BODIES_MAX = 32 * 1024 * 1024;
/** Counted for each part of a body in addition to its bytes: the runtime's own memory for a buffer. */
const PART_COST = 512;

/** The body of a request that is being read, or of an answer that its client has not read. */
export type PendingBody = { size: number; cutOff: () => void };

/** Limits the sum of bodies in memory. */
export type BodyBudget = {
  /** Counts a part of a body, and cuts off the oldest bodies while all together are too large. */
  add: (body: PendingBody, bytes: number) => void;
  /** Call this when a body is complete, refused or cut off. */
  remove: (body: PendingBody) => void;
};

/**
 * Limits the memory for bodies of clients that need no secret: each of 30,000 connections may send 96 KB and hold back the
 * last byte for `BODY_MS` (RELIABILITY A24). The body that has been incomplete for longest is cut off first, because an honest
 * one is complete within moments. So a flood of incomplete bodies cuts itself off, from however many addresses it comes.
 * @param max bytes
 */
export function createBodyBudget(max = BODIES_MAX): BodyBudget {
  /** In the order in which their first part came. */
  const pending = new Set<PendingBody>();
  let size = 0;
  return {
    add(body, bytes) {
      pending.add(body);
      body.size += bytes + PART_COST;
      size += bytes + PART_COST;
      for (const oldest of pending) {
        if (size <= max) return;
        oldest.cutOff();
      }
    },
    remove(body) {
      if (pending.delete(body)) size -= body.size;
    },
  };
}
