import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { syncFolder } from "../base/sync.ts";

/**
 * A file for callbacks that the database cannot take: no second try of the service is promised, so a refused one may be
 * lost for ever (RELIABILITY finding 8). One JSON line per callback, synced before the call returns.
 */
export type Spool<Entry> = {
  /** Whether entries wait. */
  readonly waiting: boolean;
  /** Writes an entry and syncs it to disk. @throws when the disk takes nothing */
  append: (entry: Entry) => void;
  /**
   * Hands all entries to `take`, oldest first, some at a time, and empties the file when all were taken. An entry may be
   * handed over again after a crash in between, so `take` must do nothing the second time.
   */
  replay: (take: (entries: readonly Entry[]) => Promise<void>) => Promise<number>;
};

/** Entries that are handed over at a time. */
const REPLAY_MAX = 500;

/** Complete lines only: the last one may be cut off by a full disk or a crash, and was not acknowledged then. */
function entriesOf<Entry>(file: string): Entry[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  lines.pop();
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as Entry];
    } catch {
      // A line that a full disk cut off, with others behind it: its sender was told 503.
      return [];
    }
  });
}

/** The spool of one kind of callback, in a file of its own in the data folder. */
export function openSpool<Entry>(dataDir: string, kind: "replies" | "recharges"): Spool<Entry> {
  const file = join(dataDir, `${kind}.spool`);
  const taking = `${file}.replaying`;
  let waiting = existsSync(file) || existsSync(taking);

  return {
    get waiting() {
      return waiting;
    },
    append(entry) {
      const known = existsSync(file);
      const fd = openSync(file, "a", 0o600);
      try {
        // The leading line break ends whatever a full disk left unfinished before.
        const line = Buffer.from(`\n${JSON.stringify(entry)}\n`);
        if (writeSync(fd, line) < line.length) throw new Error("The disk took only a part");
        fdatasyncSync(fd);
      } finally {
        closeSync(fd);
      }
      if (!known) syncFolder(dataDir);
      waiting = true;
    },
    async replay(take) {
      let count = 0;
      while (existsSync(taking) || existsSync(file)) {
        if (!existsSync(taking)) renameSync(file, taking);
        const entries = entriesOf<Entry>(taking);
        for (let from = 0; from < entries.length; from += REPLAY_MAX)
          await take(entries.slice(from, from + REPLAY_MAX));
        count += entries.length;
        rmSync(taking);
      }
      waiting = false;
      return count;
    },
  };
}
