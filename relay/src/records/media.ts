import type { Transaction } from "../db/database.ts";

/** Description of an uploaded file. Its bytes are in the store of files, under the same key. */
export type MediaRow = {
  key: string;
  name: string;
  type: string;
  size: number;
  /** Pixels, pictures only. */
  width: number | null;
  height: number | null;
};

/** Describes the file of a message for the owner's backend. */
export const describeFile = ({ type, name, size }: Pick<MediaRow, "type" | "name" | "size">) => ({ type, name, size });

const COLUMNS = "key, name, type, size, width, height";

/**
 * A file counts as at least this many bytes (64 KiB), because even the smallest takes a block of the disk and a row. Without this
 * minimum, a site's 10 GB would allow ten billion files of one byte (RELIABILITY A18). Migration 096 has the same number: a change
 * of it needs a migration that sums the files again.
 */
export const FILE_MIN = 64 * 1024;

/**
 * Adds bytes to the stored sum of a site's files. Without this sum, each upload took 13 ms to add up all files (RELIABILITY
 * A24).
 */
const addToSiteSum = (tx: Transaction, site: string, bytes: number): Promise<number> =>
  tx.run(
    `INSERT INTO site_files (site, bytes) VALUES ($1, $2)
     ON CONFLICT (site) DO UPDATE SET bytes = site_files.bytes + excluded.bytes`,
    site,
    bytes,
  );

/** Stores the description of a new file, and counts its bytes for the site. @param media.now milliseconds since 1970 */
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
  await addToSiteSum(tx, site, Math.max(size, FILE_MIN));
}

/** Finds a file that has an owner; undefined when there is none with this key. */
export async function findMedia(tx: Transaction, key: string): Promise<MediaRow | undefined> {
  const [row] = await tx.all<MediaRow>(`SELECT ${COLUMNS} FROM media WHERE key = $1 AND visitor IS NOT NULL`, key);
  return row;
}

/** Marks a file as sent with a message. @returns undefined when it is not this visitor's file */
export async function markMediaSent(tx: Transaction, key: string, visitor: string): Promise<MediaRow | undefined> {
  const [row] = await tx.all<MediaRow>(
    `UPDATE media SET sent = 1 WHERE key = $1 AND visitor = $2 RETURNING ${COLUMNS}`,
    key,
    visitor,
  );
  return row;
}

/** Bytes stored by a visitor, and by all visitors of a site, as the quotas count them. */
export async function storedBytes(
  tx: Transaction,
  { visitor, site }: { visitor: string; site: string },
): Promise<{ visitor: number; site: number }> {
  const [row] = await tx.all<{ visitor: number; site: number }>(
    `SELECT (SELECT COALESCE(sum(CASE WHEN size < ${FILE_MIN} THEN ${FILE_MIN} ELSE size END), 0) FROM media WHERE visitor = $1) AS visitor,
            COALESCE((SELECT bytes FROM site_files WHERE site = $2), 0) AS site`,
    visitor,
    site,
  );
  return row ?? { visitor: 0, site: 0 };
}

/** Moves a visitor's files to another visitor. */
export async function moveMedia(tx: Transaction, from: string, to: string): Promise<void> {
  await tx.run("UPDATE media SET visitor = $2 WHERE visitor = $1", from, to);
}

/** Removes the owner of a visitor's files: their links stop working now, and the next sweep removes their bytes. */
export async function disownMedia(tx: Transaction, visitor: string): Promise<void> {
  await tx.run("UPDATE media SET visitor = NULL, name = '' WHERE visitor = $1", visitor);
}

/** Removes the owner of one file. */
export async function disownFile(tx: Transaction, key: string): Promise<void> {
  await tx.run("UPDATE media SET visitor = NULL, name = '' WHERE key = $1", key);
}

/** Whether any upload older than `before` belongs to no message. Only reads, so it costs no commit. */
export async function hasUnsent(tx: Transaction, before: number): Promise<boolean> {
  const rows = await tx.all(
    `SELECT 1 FROM media WHERE (sent = 0 OR visitor IS NULL) AND sent = 0 AND visitor IS NOT NULL AND created < $1 LIMIT 1`,
    before,
  );
  return rows.length > 0;
}

/** Removes the owner of uploads older than `before` that belong to no message. */
export async function disownUnsent(tx: Transaction, before: number): Promise<void> {
  await tx.run(
    "UPDATE media SET visitor = NULL, name = '' WHERE sent = 0 AND visitor IS NOT NULL AND created < $1",
    before,
  );
}

/** Keys of files without an owner; at most `limit`. */
export async function ownerless(tx: Transaction, limit: number): Promise<string[]> {
  const rows = await tx.all<{ key: string }>(
    "SELECT key FROM media WHERE (sent = 0 OR visitor IS NULL) AND visitor IS NULL LIMIT $1",
    limit,
  );
  return rows.map(({ key }) => key);
}

/** Deletes the row of a file without an owner. */
export async function deleteMediaRow(tx: Transaction, key: string): Promise<void> {
  const [row] = await tx.all<{ site: string; size: number }>(
    "DELETE FROM media WHERE key = $1 AND visitor IS NULL RETURNING site, size",
    key,
  );
  if (row !== undefined) await addToSiteSum(tx, row.site, -Math.max(row.size, FILE_MIN));
}
