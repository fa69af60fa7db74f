import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../../base/clock.ts";
import { hashed, type Log } from "../../base/log.ts";
import { createRandomPool } from "../../base/random-pool.ts";
import { isVisitorId } from "../../base/sign.ts";
import type { Bus } from "../../bus/bus.ts";
import type { Database, Transaction } from "../../db/database.ts";
import type { Spool } from "../../db/spool.ts";
import { disownFile, type MediaRow } from "../../records/media.ts";
import type { Sites } from "../../records/sites.ts";
import { isKnown } from "../../records/threads.ts";
import type { StoreEvent } from "../webhooks.ts";
import { createDuplicateKeys, type DuplicateKeys, duplicateKeyOf, markAnswered } from "./duplicate-callbacks.ts";
import { ANSWER_DELAY_MS, createIntake, type DurableIntake, type IntakeOutcome } from "./durable-intake.ts";
import type { Reply, ReplyCallback } from "./reply.ts";
import { findOwner } from "./reply-destination.ts";
import { externalOf, type NewReply, type StoredReply, storeReplies } from "./store-replies.ts";

export type { Reply } from "./reply.ts";

type Stored = "stored" | "duplicate" | "unknown";
/** The outcome of a callback. `unknown`: no visitor of this relay has this id. `lost`: neither database nor spool stored it. */
export type ReplyOutcome = IntakeOutcome<Stored>;

type RepliesDeps = {
  db: Database;
  bus: Bus;
  clock: Clock;
  sites: Sites;
  spool: Spool<Reply>;
  log: Log;
  /** Stores a webhook event for the owner's backend, in the same transaction. */
  storeEvent: StoreEvent;
  /** Stores a file that came inside a reply; rejects when the file is refused. */
  keepFile?: (visitor: string, site: string, url: string) => Promise<MediaRow>;
  /** The key that signs visitor ids. */
  signing: string;
  /** Whether other nodes use the same database, and may store a visitor's next reply. Absent: none do. */
  isShared?: boolean;
  /** See `IntakeDeps`. */
  timeout?: number | undefined;
};
type State = RepliesDeps & {
  keys: DuplicateKeys;
  /** Random bytes for the ids of replies. */
  random: (count: number) => Uint8Array;
  /** Writes a batch of replies. Always the same function, so that the database recognises batches. */
  store: (tx: Transaction, replies: readonly NewReply[]) => Promise<StoredReply[]>;
};

/** Takes replies from the service. */
export type Replies = {
  /**
   * Stores a reply. Resolves once it is durable, or once it is certain that it cannot be stored.
   * @param named the account in the callback's address: the reply reaches only visitors of its sites
   * @returns `unknown` for an id of no visitor of this relay, `lost` when neither database nor spool stores it
   */
  receive: (callback: ReplyCallback, named?: string) => Promise<ReplyOutcome>;
  /** Call it when the sender got the relay's answer in time. From then on, the same body without an id is a new reply. */
  answered: (callback: ReplyCallback) => void;
  /** Stores what an earlier process left in the spool. */
  start: () => Promise<void>;
  /** Stores the replies in the spool of a node that does not come back. @returns their number */
  replaySpool: (spool: Spool<Reply>) => Promise<number>;
  stop: () => Promise<void>;
};

/**
 * Creates the intake of replies: each one is durable before it is acknowledged, and is stored once per thread, in order of
 * arrival.
 */
export function createReplies(
  given: Omit<RepliesDeps, "storeEvent"> & Partial<Pick<RepliesDeps, "storeEvent">>,
): Replies {
  const deps: RepliesDeps = { storeEvent: async () => {}, ...given };
  const state: State = {
    ...deps,
    keys: createDuplicateKeys(deps.clock),
    random: createRandomPool(),
    store: (tx, replies) => storeReplies(deps, tx, replies),
  };
  const intake = createIntake<Reply, Stored>({
    clock: deps.clock,
    log: deps.log,
    timeout: deps.timeout,
    spool: deps.spool,
    write: (reply) => write(state, reply),
    // If the database does not answer, the MAC of the id decides whether to keep the reply.
    isOurs: async (reply) => (await findOwner(deps, reply)) !== undefined,
    ordered: true,
    laneOf: ({ visitor }) => visitor,
    idOf: ({ id }) => id,
    answerDelay: deps.isShared ? ANSWER_DELAY_MS : undefined,
    events: { spooled: "callback.spooled", lost: "callback.lost", replayed: "callback.replayed" },
    describe: ({ visitor }) => ({ visitor: hashed(visitor) }),
  });
  return {
    receive: (callback, named) => receive(state, intake, callback, named),
    answered: (callback) => markAnswered(state.keys, callback),
    start: intake.start,
    replaySpool: intake.replaySpool,
    stop: intake.stop,
  };
}

async function receive(
  { clock, signing, keys, random }: State,
  intake: DurableIntake<Reply, Stored>,
  callback: ReplyCallback,
  named: string | undefined,
): Promise<ReplyOutcome> {
  if (!isVisitorId(signing, callback.toId)) return "unknown";
  return intake.take({
    visitor: callback.toId,
    ...(named === undefined ? {} : { named }),
    ...duplicateKeyOf(keys, callback),
    id: `r_${randomId(20, random)}`,
    text: callback.text,
    ...(callback.file === undefined ? {} : { file: callback.file }),
    at: clock.now(),
    contact: callback.contactId ?? null,
  });
}

/** Writes a reply to its thread and tells the visitor's connections. */
async function write(state: State, reply: Reply): Promise<Stored> {
  const { db, bus, log } = state;
  const file = await fileOf(state, reply);
  const written = await db.append(state.store, { reply, file }, [reply.visitor]);
  // The same reply was written meanwhile, so this copy of the file has no owner.
  if (typeof written === "string" && file !== undefined) await db.transaction((tx) => disownFile(tx, file), [file]);
  if (written === "nobody") return "unknown";
  if (written === "duplicate") return written;
  bus.publish({ visitor: written.visitor, head: written.message.n, changes: [written.message] });
  log("callback.stored", { visitor: hashed(written.visitor), message: written.message.id });
  return "stored";
}

/**
 * Stores the file of a reply that is not known yet. If the file is refused or cannot be stored, the message says so: the
 * callback comes only once, and nothing that a person sent may disappear without a trace.
 * @returns the file's key
 */
async function fileOf(state: State, reply: Reply): Promise<string | undefined> {
  const { db, log, keepFile } = state;
  if (reply.file === undefined) return undefined;
  const found = await findOwner(state, reply);
  if (found === undefined || (await isKnown(db, externalOf(found.account, reply)))) return undefined;
  try {
    return (await keepFile?.(found.owner, found.site, reply.file))?.key;
  } catch (error) {
    log("callback.file_refused", { visitor: hashed(found.owner), cause: String(error) });
    return undefined;
  }
}
