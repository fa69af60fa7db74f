import { Readable } from "node:stream";
import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import { RelayError } from "../base/errors.ts";
import { hashed, type Log } from "../base/log.ts";
import type { Database } from "../db/database.ts";
import { parseDataUrl } from "../files/dataurl.ts";
import { displayName } from "../files/names.ts";
import type { Stage, Staged } from "../files/stage.ts";
import type { Files } from "../files/store.ts";
import {
  addMedia,
  disownUnsent,
  dropMedia,
  hasUnsent,
  type MediaRow,
  ownerless,
  removeMedia,
  storedBytes,
} from "../records/media.ts";

type Parts = {
  db: Database;
  clock: Clock;
  log: Log;
  files: Files;
  stage: Stage;
  /** Bytes that one visitor, and all visitors of a site, may have stored. */
  quota: { visitor: number; site: number };
};

type Upload = {
  visitor: string;
  site: string;
  /** As it was sent. */
  name: string;
  source: AsyncIterable<Buffer>;
};

/** Uploads of one visitor at a time, per process. */
const PARALLEL = 2;
const BUSY_MS = 2_000;
const RETRY_MS = 5_000;
/** An upload that no message carries is removed after a day. */
const UNSENT_MS = 86_400_000;
const SWEEP_MS = 10_000;
const SWEEP_BATCH = 100;

/** Files of visitors, from the first byte to the last: let in, kept, and removed with what they belong to. */
export function createUploads({ db, clock, log, files, stage, quota }: Parts) {
  const busy = new Map<string, number>();
  let cancelSweep = (): void => {};
  let sweeping: Promise<void> = Promise.resolve();

  /** Counts one more upload of the visitor; returns what ends it. @throws RelayError `rate_limited` */
  function enter(visitor: string): () => void {
    const count = busy.get(visitor) ?? 0;
    if (count >= PARALLEL) throw new RelayError("rate_limited", undefined, { retryAfter: BUSY_MS });
    busy.set(visitor, count + 1);
    return () => {
      const left = (busy.get(visitor) ?? 1) - 1;
      if (left === 0) busy.delete(visitor);
      else busy.set(visitor, left);
    };
  }

  /** The row first: bytes without a row would never be found again, a row without bytes is swept. */
  async function keep({ visitor, site, name }: Omit<Upload, "source">, staged: Staged): Promise<MediaRow> {
    const { size, type, pixels } = staged;
    const row: MediaRow = {
      key: randomId(),
      name: displayName(name, type),
      type: type.type,
      size,
      width: pixels?.width ?? null,
      height: pixels?.height ?? null,
    };
    await db.transaction(async (tx) => {
      const stored = await storedBytes(tx, visitor, site);
      if (stored.visitor + size > quota.visitor || stored.site + size > quota.site)
        throw new RelayError("quota_exceeded", "file");
      await addMedia(tx, { ...row, visitor, site, now: clock.now() });
    });
    await files.put(row.key, staged.path, row.type).catch(async (error: unknown) => {
      log("upload.lost", { cause: String(error) });
      await db.transaction((tx) => dropMedia(tx, row.key));
      throw new RelayError("try_later", undefined, { retryAfter: RETRY_MS });
    });
    return row;
  }

  /**
   * Takes a file in. Durable when it resolves.
   * @throws RelayError that says why not; nothing is left behind then
   */
  async function take(upload: Upload): Promise<MediaRow> {
    const leave = enter(upload.visitor);
    try {
      const staged = await stage.take(upload.source, upload.name);
      const row = await keep(upload, staged).finally(staged.discard);
      log("upload.stored", { visitor: hashed(upload.visitor), type: row.type, size: row.size });
      return row;
    } finally {
      leave();
    }
  }

  /**
   * Takes in a file that a reply holds: like an upload, it counts as the visitor's and goes with them, and it is nobody's
   * until a message carries it.
   * @param url a data: URL
   * @throws RelayError as `take` does
   */
  async function takeHeld(visitor: string, site: string, url: string): Promise<MediaRow> {
    const held = parseDataUrl(url);
    if (held === undefined) throw new RelayError("type_not_allowed", "file");
    const { name, bytes } = held;
    const staged = await stage.take(Readable.from([bytes]), name);
    return keep({ visitor, site, name }, staged).finally(staged.discard);
  }

  /** Removes what nobody owns (any more): first the bytes, then the row, so that a crash in between is made good. */
  async function sweep(): Promise<void> {
    const before = clock.now() - UNSENT_MS;
    if (await hasUnsent(db, before)) await db.transaction((tx) => disownUnsent(tx, before));
    for (const key of await ownerless(db, SWEEP_BATCH)) {
      await files.remove(key);
      await db.transaction((tx) => removeMedia(tx, key));
    }
  }

  function sweepLater(ms = SWEEP_MS): void {
    cancelSweep();
    cancelSweep = clock.after(ms, () => {
      sweeping = sweeping
        .then(sweep)
        .catch((error: unknown) => log("upload.sweep_failed", { cause: String(error) }))
        .finally(() => sweepLater());
    });
  }

  return {
    take,
    takeHeld,
    /** Somebody's files were disowned just now. */
    sweepSoon: (): void => sweepLater(0),
    async start(): Promise<void> {
      await stage.start(clock.now());
      sweepLater();
    },
    async stop(): Promise<void> {
      cancelSweep();
      await sweeping;
      cancelSweep();
    },
  };
}

export type Uploads = ReturnType<typeof createUploads>;
