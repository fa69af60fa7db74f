import { randomId } from "@porchlight/shared/id";
import type { Transaction } from "../db/database.ts";
import { SLICE_ROWS } from "../db/slices.ts";

/** A visitor or an address that a site blocks. */
export type Block = {
  id: string;
  site: string;
  /** A visitor's id, an IP address, or a range of addresses in CIDR notation. */
  value: string;
  reason: string;
  /** Who added it: `cli`, or the name of a token. */
  actor: string;
  /** Milliseconds since 1970. */
  at: number;
};

const COLUMNS = "id, site, value, reason, actor, at";

/** Name of the list's revision in `meta`. */
const REVISION_NAME = "blocks.revision";

/** Gives the list a new revision: a random id, because two nodes may change the list at the same time. */
const renewRevision = (tx: Transaction): Promise<number> =>
  tx.run(
    "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    REVISION_NAME,
    randomId(16),
  );

/** An id that changes with every change of the list; undefined before the first one. */
export async function blocksRevision(tx: Transaction): Promise<string | undefined> {
  const [row] = await tx.all<{ value: string }>("SELECT value FROM meta WHERE name = $1", REVISION_NAME);
  return row?.value;
}

/** Adds a block. A value that is blocked already keeps its id and gets the new reason. */
export async function addBlock(tx: Transaction, block: Omit<Block, "id">): Promise<Block> {
  const { site, value, reason, actor, at } = block;
  const [row] = await tx.all<Block>(
    `INSERT INTO blocks (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (site, value) DO UPDATE SET reason = excluded.reason, actor = excluded.actor, at = excluded.at
     RETURNING ${COLUMNS}`,
    `blk_${randomId(16)}`,
    site,
    value,
    reason,
    actor,
    at,
  );
  if (row === undefined) throw new Error("The block is missing after it was written");
  await renewRevision(tx);
  return row;
}

/** Removes a block. @returns false when the site has no such block */
export async function removeBlock(tx: Transaction, site: string, id: string): Promise<boolean> {
  if ((await tx.run("DELETE FROM blocks WHERE site = $1 AND id = $2", site, id)) === 0) return false;
  await renewRevision(tx);
  return true;
}

/** A page of a site's blocks, newest first. `after`: the last block of the previous page. `skip`: blocks before the page. */
export async function blocksPage(
  tx: Transaction,
  { site, after, skip = 0, limit }: { site: string; after?: { at: number; id: string }; skip?: number; limit: number },
): Promise<Block[]> {
  return tx.all(
    `SELECT ${COLUMNS} FROM blocks WHERE site = $1 AND (at, id) < ($2, $3)
     ORDER BY at DESC, id DESC LIMIT $4 OFFSET $5`,
    site,
    after?.at ?? Number.MAX_SAFE_INTEGER,
    after?.id ?? "",
    limit,
    skip,
  );
}

type Blocked = Pick<Block, "site" | "value">;

/** The blocks of all sites, in slices, because an owner may block tens of thousands of addresses (RELIABILITY A24). */
export async function* allBlocks(tx: Transaction): AsyncGenerator<Blocked[]> {
  for (let after: Blocked | undefined = { site: "", value: "" }; after !== undefined; ) {
    const slice: Blocked[] = await tx.all(
      "SELECT site, value FROM blocks WHERE (site, value) > ($1, $2) ORDER BY site, value LIMIT $3",
      after.site,
      after.value,
      SLICE_ROWS,
    );
    yield slice;
    after = slice.length < SLICE_ROWS ? undefined : slice.at(-1);
  }
}
