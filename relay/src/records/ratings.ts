import type { Rating } from "@porchlight/shared/protocol";
import type { Transaction } from "../db/database.ts";

/**
 * A visitor's rating of the conversation. `score`: null when the visitor declined. `best`: the highest possible score. `at`:
 * milliseconds since 1970.
 */
export type RatingRow = { visitor: string; score: number | null; best: 2 | 5; comment: string | null; at: number };

const COLUMNS = "visitor, score, best, comment, at";

/**
 * Stores a visitor's first rating. A visitor who declined first may still give a score.
 * @returns whether anything was stored
 */
export async function addRating(tx: Transaction, site: string, row: RatingRow): Promise<boolean> {
  const { visitor, score, best, comment, at } = row;
  const changed = await tx.run(
    `INSERT INTO ratings (visitor, site, score, best, comment, at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (visitor) DO UPDATE SET score = excluded.score, best = excluded.best, comment = excluded.comment,
       at = excluded.at WHERE ratings.score IS NULL AND excluded.score IS NOT NULL`,
    visitor,
    site,
    score,
    best,
    comment,
    at,
  );
  return changed === 1;
}

/** A visitor's rating, as it is stored; undefined when they have neither rated nor declined. */
export async function findRating(tx: Transaction, visitor: string): Promise<RatingRow | undefined> {
  const [row] = await tx.all<RatingRow>(`SELECT ${COLUMNS} FROM ratings WHERE visitor = $1`, visitor);
  return row;
}

/** The rating as the visitor's browser gets it; undefined when they have neither rated nor declined. */
export async function ratingOf(tx: Transaction, visitor: string): Promise<Rating | undefined> {
  const row = await findRating(tx, visitor);
  if (row === undefined) return undefined;
  const { score, best, comment } = row;
  return { of: best, ...(score === null ? {} : { score }), ...(comment === null ? {} : { comment }) };
}

/** A page of a site's ratings with a score, newest first. `after`: the last rating of the previous page. */
export async function ratingsPage(
  tx: Transaction,
  { site, after, limit }: { site: string; after?: { at: number; visitor: string }; limit: number },
): Promise<RatingRow[]> {
  return tx.all(
    `SELECT ${COLUMNS} FROM ratings WHERE site = $1 AND score IS NOT NULL AND (at, visitor) < ($2, $3)
     ORDER BY at DESC, visitor DESC LIMIT $4`,
    site,
    after?.at ?? Number.MAX_SAFE_INTEGER,
    after?.visitor ?? "",
    limit,
  );
}

/** Moves an anonymous visitor's rating to the user, unless the user has one. */
export async function moveRating(tx: Transaction, from: string, to: string): Promise<void> {
  await tx.run(
    "UPDATE ratings SET visitor = $2 WHERE visitor = $1 AND NOT EXISTS (SELECT 1 FROM ratings WHERE visitor = $2)",
    from,
    to,
  );
}
