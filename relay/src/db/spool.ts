import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { syncFolder } from "../base/sync.ts";

/**
 * A file for callbacks that the database cannot store. The service may not repeat a refused callback, so it would be lost
 * (RELIABILITY finding 8). The file has one JSON line per callback, synced before the call returns.
 */
export type Spool<Entry> = {
  /** Whether entries wait. */
  readonly waiting: boolean;
  /** Writes an entry and syncs it to disk. @throws the system's error when the disk accepts no writes */
  append: (entry: Entry) => void;
  /**
   * Passes all entries to `take`, oldest first, in parts, and empties the file afterwards. After a crash in between, entries
   * are passed again, so `take` must do nothing for an entry that it has stored.
   * @returns the number of entries
   */
  replay: (take: (entries: readonly Entry[]) => Promise<void>) => Promise<number>;
};

/** Most entries in one call of `take`. */
const REPLAY_MAX = 500;

/** The complete lines. If a full disk or a crash cut off the last line, it was not acknowledged. */
function entriesOf<Entry>(file: string): Entry[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  lines.pop();
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as Entry];
    } catch {
      // A full disk cut this line off before others were added. Its sender got 503.
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
        // The leading line break ends a line that a full disk cut off.
        const line = Buffer.from(`\n${JSON.stringify(entry)}\n`);
        if (writeSync(fd, line) < line.length) throw new Error("The disk stored only a part of the entry");
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
