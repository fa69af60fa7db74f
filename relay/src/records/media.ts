import type { Transaction } from "../db/database.ts";

/** A file that a visitor uploaded: what is known of it. Its bytes lie in the store of files, under the same key. */
export type MediaRow = {
  key: string;
  name: string;
  type: string;
  size: number;
  /** Pixels, pictures only. */
  width: number | null;
  height: number | null;
};

/** What backends are told of the file of a message. */
export const describeFile = ({ type, name, size }: Pick<MediaRow, "type" | "name" | "size">) => ({ type, name, size });

const COLUMNS = "key, name, type, size, width, height";

export async function addMedia(
  tx: Transaction,
  media: MediaRow & { visitor: string; site: string; now: number },
): Promise<void> {
  const { key, visitor, site, name, type, size, width, height, now } = media;
  await tx.run(
    `INSERT INTO media (${COLUMNS}, visitor, site, created) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    key,
    name,
    type,
    size,
    width,
    height,
    visitor,
    site,
    now,
  );
}

/** A file that somebody still owns. */
export async function findMedia(tx: Transaction, key: string): Promise<MediaRow | undefined> {
  const [row] = await tx.all<MediaRow>(`SELECT ${COLUMNS} FROM media WHERE key = $1 AND visitor IS NOT NULL`, key);
  return row;
}

/** A message carries the file now; resolves to what is known of it, or nothing when it is not this visitor's. */
export async function sendMedia(tx: Transaction, key: string, visitor: string): Promise<MediaRow | undefined> {
  const [row] = await tx.all<MediaRow>(
    `UPDATE media SET sent = 1 WHERE key = $1 AND visitor = $2 RETURNING ${COLUMNS}`,
    key,
    visitor,
  );
  return row;
}

/** Bytes that a visitor, and all visitors of a site, have stored. */
export async function storedBytes(
  tx: Transaction,
  visitor: string,
  site: string,
): Promise<{ visitor: number; site: number }> {
  const [row] = await tx.all<{ visitor: number; site: number }>(
    `SELECT (SELECT COALESCE(sum(size), 0) FROM media WHERE visitor = $1) AS visitor,
            (SELECT COALESCE(sum(size), 0) FROM media WHERE site = $2) AS site`,
    visitor,
    site,
  );
  return row ?? { visitor: 0, site: 0 };
}

/** Another visitor owns the files from now on. */
export async function moveMedia(tx: Transaction, from: string, to: string): Promise<void> {
  await tx.run("UPDATE media SET visitor = $2 WHERE visitor = $1", from, to);
}

/** The files are nobody's: their links end now, their bytes with the next sweep. */
export async function disownMedia(tx: Transaction, visitor: string): Promise<void> {
  await tx.run("UPDATE media SET visitor = NULL, name = '' WHERE visitor = $1", visitor);
}

/** The same for one file, whose bytes could not be stored. */
export async function dropMedia(tx: Transaction, key: string): Promise<void> {
  await tx.run("UPDATE media SET visitor = NULL, name = '' WHERE key = $1", key);
}

/** Whether an upload older than `before` waits for a message in vain: looking costs no commit. */
export async function hasUnsent(tx: Transaction, before: number): Promise<boolean> {
  const rows = await tx.all(
    `SELECT 1 FROM media WHERE (sent = 0 OR visitor IS NULL) AND sent = 0 AND visitor IS NOT NULL AND created < $1 LIMIT 1`,
    before,
  );
  return rows.length > 0;
}

/** The same for uploads older than `before` that no message carries. */
export async function disownUnsent(tx: Transaction, before: number): Promise<void> {
  await tx.run(
    "UPDATE media SET visitor = NULL, name = '' WHERE sent = 0 AND visitor IS NOT NULL AND created < $1",
    before,
  );
}

/** Keys of files that are nobody's; at most `limit`. */
export async function ownerless(tx: Transaction, limit: number): Promise<string[]> {
  const rows = await tx.all<{ key: string }>(
    "SELECT key FROM media WHERE (sent = 0 OR visitor IS NULL) AND visitor IS NULL LIMIT $1",
    limit,
  );
  return rows.map(({ key }) => key);
}

export async function removeMedia(tx: Transaction, key: string): Promise<void> {
  await tx.run("DELETE FROM media WHERE key = $1 AND visitor IS NULL", key);
}
