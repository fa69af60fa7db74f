import type { Transaction } from "../db/database.ts";

/** A deletion of a visitor that has begun. It takes several transactions, and the process may end between two of them. */
export type Deletion = {
  visitor: string;
  /** Milliseconds since 1970. */
  begun: number;
  /** Deletes only a visitor whose newest message is older than this (ms since 1970); `null`: no condition. */
  stale_before: number | null;
  /** How many parts were deleted so far. */
  parts: number;
};

/** Most deletions that `unfinishedDeletions` returns: each takes many transactions. */
const LIST_MAX = 100;

/** Stores that a deletion begins. A deletion without a condition replaces one that has a condition. */
export async function addDeletion(
  tx: Transaction,
  { visitor, begun, staleBefore }: { visitor: string; begun: number; staleBefore: number | undefined },
): Promise<void> {
  await tx.run(
    `INSERT INTO deletions (visitor, begun, stale_before) VALUES ($1, $2, $3)
     ON CONFLICT (visitor) DO UPDATE SET stale_before = NULL WHERE excluded.stale_before IS NULL`,
    visitor,
    begun,
    staleBefore ?? null,
  );
}

/** Counts a part of a deletion. @returns the deletion; undefined when it has ended */
export async function countPart(tx: Transaction, visitor: string): Promise<Deletion | undefined> {
  const [deletion] = await tx.all<Deletion>(
    "UPDATE deletions SET parts = parts + 1 WHERE visitor = $1 RETURNING visitor, begun, stale_before, parts",
    visitor,
  );
  return deletion;
}

/** Removes the record of a deletion that is complete, or no longer due. */
export async function endDeletion(tx: Transaction, visitor: string): Promise<void> {
  await tx.run("DELETE FROM deletions WHERE visitor = $1", visitor);
}

/** The deletions that have begun and not ended, the oldest first. */
export const unfinishedDeletions = (tx: Transaction): Promise<Deletion[]> =>
  tx.all(`SELECT visitor, begun, stale_before, parts FROM deletions ORDER BY begun, visitor LIMIT ${LIST_MAX}`);

/** Whether a deletion of this visitor has begun and not ended. */
export async function isBeingDeleted(tx: Transaction, visitor: string): Promise<boolean> {
  return (await tx.all("SELECT 1 FROM deletions WHERE visitor = $1", visitor)).length > 0;
}
