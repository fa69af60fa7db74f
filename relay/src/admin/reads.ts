import { PAGE_ROWS } from "./html.ts";

/** Fewest rows of one list that are read at once. */
const READ_MIN = 10;

/**
 * Part of a list: at most `limit` rows. It begins after the row `after`, which an index finds; the first part of a list begins
 * after `skip` rows.
 */
export type ListPart<Row> = { after: Row | undefined; skip: number; limit: number };

/** A list that is being merged: the rows that were read but not used yet, and the last row that was read. */
type Merged<Row> = {
  read: (part: ListPart<Row>) => Promise<Row[]>;
  rows: Row[];
  last: Row | undefined;
  isEnd: boolean;
};

/**
 * A page of several lists as one list, newest first, and one row more if another page follows. Only a few hundred rows are in
 * memory at once, however many precede the page. All of them, with the bodies of events, would exceed the relay's memory
 * (RELIABILITY A24).
 * @param lists each reads a part of one list, newest first
 * @param timeOf the time of a row
 * @param skip rows before the page
 */
export async function mergedPage<Row>(
  lists: readonly Merged<Row>["read"][],
  timeOf: (row: Row) => number,
  skip: number,
): Promise<Row[]> {
  const [only, ...others] = lists;
  if (only !== undefined && others.length === 0) return only({ after: undefined, skip, limit: PAGE_ROWS + 1 });
  const limit = Math.max(READ_MIN, Math.ceil(PAGE_ROWS / lists.length));
  const merged = lists.map((read): Merged<Row> => ({ read, rows: [], last: undefined, isEnd: false }));
  const page: Row[] = [];
  for (let n = 0; n <= skip + PAGE_ROWS; n++) {
    for (const list of merged) if (list.rows.length === 0 && !list.isEnd) await readMore(list, limit);
    const row = newestOf(merged, timeOf)?.rows.shift();
    if (row === undefined) break;
    if (n >= skip) page.push(row);
  }
  return page;
}

async function readMore<Row>(list: Merged<Row>, limit: number): Promise<void> {
  list.rows = await list.read({ after: list.last, skip: 0, limit });
  list.last = list.rows.at(-1);
  list.isEnd = list.rows.length < limit;
}

/** The list with the newest first row; undefined when all are empty. */
function newestOf<Row>(lists: readonly Merged<Row>[], timeOf: (row: Row) => number): Merged<Row> | undefined {
  let newest: Merged<Row> | undefined;
  let time = Number.NEGATIVE_INFINITY;
  for (const list of lists) {
    const [first] = list.rows;
    if (first === undefined || timeOf(first) <= time) continue;
    newest = list;
    time = timeOf(first);
  }
  return newest;
}
