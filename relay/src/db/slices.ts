/** Most rows that one statement of a filtered list reads: a few milliseconds on SQLite, which reads on the event loop. */
export const SLICE_ROWS = 500;

/**
 * Reads a list that has no index of its own, like the failed messages of one site: reads a longer list in slices and filters it.
 * So no statement reads more than `SLICE_ROWS` rows, however few of them belong to the list (A24).
 * @param read reads the next `SLICE_ROWS` rows of the longer list, after the given row; fewer at its end
 * @param fits whether a row belongs to the list
 * @param part.skip rows of the list that come before the part
 * @returns at most `part.limit` rows
 */
export async function filtered<Row>(
  read: (after: Row | undefined) => Promise<Row[]>,
  fits: (row: Row) => boolean,
  { skip = 0, limit }: { skip?: number; limit: number },
): Promise<Row[]> {
  const found: Row[] = [];
  let before = skip;
  for (let after: Row | undefined; ; ) {
    const slice = await read(after);
    for (const row of slice) {
      if (!fits(row)) continue;
      if (before > 0) before--;
      else if (found.push(row) === limit) return found;
    }
    if (slice.length < SLICE_ROWS) return found;
    after = slice.at(-1);
  }
}
