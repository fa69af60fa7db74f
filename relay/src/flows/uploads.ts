import { Readable } from "node:stream";
import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import { RelayError } from "../base/errors.ts";
import { hashed, type Log } from "../base/log.ts";
import { createPoll } from "../base/poll.ts";
import type { Database, Transaction } from "../db/database.ts";
import { parseDataUrl } from "../files/dataurl.ts";
import { displayName } from "../files/names.ts";
import type { StagedFile, UploadStage } from "../files/stage.ts";
import type { Files } from "../files/store.ts";
import {
  addMedia,
  deleteMediaRow,
  disownFile,
  disownUnsent,
  FILE_MIN,
  findMedia,
  hasUnsent,
  type MediaRow,
  ownerless,
  storedBytes,
} from "../records/media.ts";
import { wasForgotten } from "../records/visitors.ts";

type UploadsDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  files: Files;
  stage: UploadStage;
  /** Bytes that one visitor, and all visitors of a site, may store. */
  quota: { visitor: number; site: number };
};
/** An upload under way. `isWithdrawn`: its visitor was deleted. */
type UnderWay = { isWithdrawn: boolean };
type State = UploadsDeps & {
  /** Uploads under way, by visitor. */
  busy: Map<string, Set<UnderWay>>;
};

type Upload = {
  visitor: string;
  site: string;
  /** File name as the browser sent it. */
  name: string;
  source: AsyncIterable<Buffer>;
  /** Ends the source, when all uploads take too much of the disk. */
  cutOff?: () => void;
};

/** The flow of visitors' files. */
export type Uploads = {
  /**
   * Stores a file. It is durable when this resolves.
   * @throws RelayError with the reason; nothing of the file is stored in that case
   */
  take: (upload: Upload) => Promise<MediaRow>;
  /**
   * Stores a file that came inside a reply. It counts against the visitor's quota. No message contains it yet.
   * @param url a data: URL
   * @throws RelayError as `take` does
   */
  takeFromReply: (visitor: string, site: string, url: string) => Promise<MediaRow>;
  /** Stores no file that is arriving from this visitor, who was deleted. */
  drop: (visitor: string) => void;
  /** Starts to remove the bytes of files without an owner. */
  sweepSoon: () => void;
  /** Empties the staging folder, and starts the sweeps. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

/** Most uploads of one visitor at a time, per process. */
const UPLOADS_AT_ONCE_MAX = 2;
/** A visitor who is refused because of this limit may try again after this time, in ms. */
const BUSY_MS = 2_000;
/** After a failure of the file store, a client may try again after this time, in ms. */
const RETRY_MS = 5_000;
/** An upload that no message contains is removed after this time, in ms. */
const UNSENT_MS = 86_400_000;
/** Interval of the search for files without an owner, in ms, and how many are removed per run. */
const SWEEP_MS = 10_000;
const SWEEP_BATCH = 100;

/** Creates the flow of visitors' files: it checks and stores them, and removes those without an owner. */
export function createUploads(deps: UploadsDeps): Uploads {
  const state: State = { ...deps, busy: new Map() };
  const { clock, log, stage } = deps;
  /** The last sweep failed. Only the first failure of an outage is logged. */
  let failing = false;
  const run = async (): Promise<void> => {
    await sweep(state);
    failing = false;
  };
  const onError = (error: unknown): void => {
    if (!failing) log("upload.sweep_failed", { cause: String(error) });
    failing = true;
  };
  const poll = createPoll({ clock, every: SWEEP_MS, run, onError });
  return {
    take: (upload) => take(state, upload),
    takeFromReply: (visitor, site, url) => takeFromReply(state, visitor, site, url),
    drop(visitor) {
      for (const upload of state.busy.get(visitor) ?? []) upload.isWithdrawn = true;
    },
    sweepSoon: poll.wake,
    async start() {
      await stage.start(clock.now());
      poll.start();
    },
    stop: poll.stop,
  };
}

async function take(state: State, upload: Upload): Promise<MediaRow> {
  const { stage, log } = state;
  const underWay = enter(state, upload.visitor);
  try {
    const staged = await stage.take(upload.source, upload.name, upload.cutOff);
    const row = await keep(state, upload, staged, underWay).finally(staged.discard);
    log("upload.stored", { visitor: hashed(upload.visitor), type: row.type, size: row.size });
    return row;
  } finally {
    leave(state, upload.visitor, underWay);
  }
}

async function takeFromReply(state: State, visitor: string, site: string, url: string): Promise<MediaRow> {
  const held = parseDataUrl(url);
  if (held === undefined) throw new RelayError("type_not_allowed", "file");
  const { name, bytes } = held;
  const staged = await state.stage.take(Readable.from([bytes]), name);
  return keep(state, { visitor, site, name }, staged).finally(staged.discard);
}

/** Counts an upload of the visitor until `leave`. @throws RelayError `rate_limited` */
function enter({ busy }: State, visitor: string): UnderWay {
  const all = busy.get(visitor) ?? new Set();
  if (all.size >= UPLOADS_AT_ONCE_MAX) throw new RelayError("rate_limited", undefined, { retryAfter: BUSY_MS });
  const underWay = { isWithdrawn: false };
  busy.set(visitor, all.add(underWay));
  return underWay;
}

function leave({ busy }: State, visitor: string, underWay: UnderWay): void {
  const all = busy.get(visitor);
  all?.delete(underWay);
  if (all?.size === 0) busy.delete(visitor);
}

/**
 * Stores a checked file. The row is written first: a sweep removes rows without bytes, but nothing finds bytes without a row.
 * @param underWay tells of the deletion of a visitor of whom no row says so: one who never wrote, or who signed in again
 * @throws RelayError; `unauthorized` when the visitor was deleted meanwhile
 */
async function keep(
  state: State,
  upload: Omit<Upload, "source">,
  staged: StagedFile,
  underWay: UnderWay = { isWithdrawn: false },
): Promise<MediaRow> {
  const { db, files, log } = state;
  if (underWay.isWithdrawn) throw new RelayError("unauthorized");
  const row = rowOf(upload.name, staged);
  const keys = [`files of ${upload.site}`, upload.visitor];
  await db.transaction((tx) => addWithinQuota(state, tx, upload, row), keys);
  await files.put(row.key, staged.path, row.type).catch(async (error: unknown) => {
    log("upload.lost", { cause: String(error) });
    await db.transaction((tx) => disownFile(tx, row.key), [row.key]);
    throw new RelayError("try_later", undefined, { retryAfter: RETRY_MS });
  });
  if ((await findMedia(db, row.key)) !== undefined && !underWay.isWithdrawn) return row;
  // The visitor was deleted while the bytes were written. The sweep may have removed the row before they arrived.
  await db.transaction((tx) => disownFile(tx, row.key), [row.key]);
  await files.remove(row.key);
  throw new RelayError("unauthorized");
}

const rowOf = (name: string, { size, type, pixels }: StagedFile): MediaRow => ({
  key: randomId(),
  name: displayName(name, type),
  type: type.type,
  size,
  width: pixels?.width ?? null,
  height: pixels?.height ?? null,
});

/**
 * Adds a file's row, if the quotas of visitor and site allow it.
 * @throws RelayError `quota_exceeded`; `unauthorized` when the visitor was deleted while the file arrived
 */
async function addWithinQuota(
  { quota, clock }: State,
  tx: Transaction,
  { visitor, site }: Omit<Upload, "source">,
  row: MediaRow,
): Promise<void> {
  if (await wasForgotten(tx, visitor)) throw new RelayError("unauthorized");
  const stored = await storedBytes(tx, { visitor, site });
  const size = Math.max(row.size, FILE_MIN);
  if (stored.visitor + size > quota.visitor || stored.site + size > quota.site)
    throw new RelayError("quota_exceeded", "file");
  await addMedia(tx, { ...row, visitor, site, now: clock.now() });
}

/** Removes files without an owner: first the bytes, then the row, so that the next run repeats what a crash interrupted. */
async function sweep({ db, clock, files }: State): Promise<void> {
  const before = clock.now() - UNSENT_MS;
  if (await hasUnsent(db, before)) await db.transaction((tx) => disownUnsent(tx, before));
  for (const key of await ownerless(db, SWEEP_BATCH)) {
    await files.remove(key);
    await db.transaction((tx) => deleteMediaRow(tx, key), [key]);
  }
}
