import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import { hashed, type Log } from "../base/log.ts";
import { isVisitorId } from "../base/sign.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database, Transaction } from "../db/database.ts";
import { isEcho } from "../records/echoes.ts";
import type { Sites } from "../records/sites.ts";
import { appendReply } from "../records/threads.ts";
import { addVisitor, findVisitor, learnContact, NO_SITE, ownerOf } from "../records/visitors.ts";
import type { Callback } from "../service/callbacks.ts";
import type { Spool } from "../spool.ts";

type ReplyCallback = Extract<Callback, { kind: "reply" }>;

/** A reply as it is written down, in the database or in the spool. */
export type Reply = {
  visitor: string;
  /** The account named by the address it came to, when it named one. */
  named?: string;
  /** Unique per reply of an account: a second callback with the same key writes nothing. */
  key: string;
  id: string;
  text: string;
  at: number;
  contact: string | null;
};

/** What became of a callback. `unknown`: nobody here has this id. `lost`: it could be written nowhere. */
export type Received = "stored" | "duplicate" | "spooled" | "unknown" | "lost";

type Home = { site: string; account: string };

type Parts = {
  db: Database;
  bus: Bus;
  clock: Clock;
  sites: Sites;
  spool: Spool<Reply>;
  log: Log;
  /** Tells the owner's backend. */
  tell?: (
    tx: Transaction,
    site: string,
    type: "message.reply",
    data: { visitor: string; id: string; text: string },
  ) => Promise<void>;
  /** Signs visitor ids. */
  signing: string;
};

/** The database has this long to take a reply before it goes to the spool. */
const PATIENCE_MS = 1_000;
/** Without a message id, the same body within this time, or after an unclean answer, is taken for a repeat. */
const REPEAT_MS = 2_000;
/** How often the spool tries to empty itself into the database. */
const REPLAY_MS = 2_000;
const BODIES_MAX = 10_000;

/** Replies of the service: each one durable before it is acknowledged, once per thread, in order of arrival. */
export function createReceive({ db, bus, clock, sites, spool, log, signing, tell = async () => {} }: Parts) {
  /** Bodies without a message id: the key each got, when, and whether its sender got our answer. */
  const bodies = new Map<string, { key: string; at: number; clean: boolean }>();
  let replaying: Promise<void> | undefined;
  let cancelReplay = (): void => {};
  /** Not before: the last try failed. */
  let replayAt = Number.NEGATIVE_INFINITY;

  function keyOf(callback: ReplyCallback): string {
    if (callback.messageId !== undefined) return callback.messageId;
    const body = bodies.get(callback.digest);
    const repeated = body !== undefined && (!body.clean || clock.uptime() - body.at < REPEAT_MS);
    const key = repeated ? body.key : `~${callback.digest.slice(0, 20)}${randomId(8)}`;
    if (bodies.size >= BODIES_MAX) bodies.clear();
    bodies.set(callback.digest, { key, at: clock.uptime(), clean: false });
    return key;
  }

  async function write(reply: Reply): Promise<"stored" | "duplicate" | "unknown"> {
    const { visitor, id, text, at, contact } = reply;
    const written = await db.transaction(async (tx) => {
      const owner = await ownerOf(tx, visitor);
      if (owner === undefined) return "nobody";
      const home = await homeOf(tx, owner, reply.named);
      if (home === undefined) return "nobody";
      const { site, account } = home;
      await addVisitor(tx, owner, site, at);
      const external = `${account}:${reply.key}`;
      // Not the owner's: the service has a contact of its own for the id that somebody had before they logged in.
      if (contact !== null) await learnContact(tx, visitor, contact);
      if (await isEcho(tx, { visitor, external, text, now: at })) return "duplicate";
      const head = await appendReply(tx, { visitor: owner, id, text, at, external });
      if (typeof head === "string") return head;
      await tell(tx, site, "message.reply", { visitor: owner, id, text });
      return { visitor: owner, head };
    });
    if (typeof written === "string") return written === "nobody" ? "unknown" : written;
    bus.publish(written);
    return "stored";
  }

  /** Resolves to what `work` does, or rejects when it takes too long; a late success is harmless, its key is unique. */
  function soon<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = clock.after(PATIENCE_MS, () => reject(new Error("The database is too slow")));
      work.then(resolve, reject).finally(cancel);
    });
  }

  function keep(reply: Reply, cause: unknown): "spooled" | "lost" {
    try {
      spool.append(reply);
    } catch (error) {
      log("callback.lost", { visitor: hashed(reply.visitor), cause: String(cause), spool: String(error) });
      return "lost";
    }
    log("callback.spooled", { visitor: hashed(reply.visitor), cause: String(cause) });
    replayLater();
    return "spooled";
  }

  function replayLater(): void {
    cancelReplay();
    cancelReplay = clock.after(REPLAY_MS, () => void replay());
  }

  /** Empties the spool into the database, in order; tries again later when the database still takes nothing. */
  function replay(): Promise<void> {
    replaying ??= spool
      .replay(async (reply) => void (await write(reply)))
      .then((count) => log("callback.replayed", { count }))
      .catch((error: unknown) => {
        log("database.failing", { cause: String(error) });
        replayAt = clock.uptime() + REPLAY_MS;
        replayLater();
      })
      .finally(() => {
        replaying = undefined;
      });
    return replaying;
  }

  /**
   * Whose reply it is: the visitor's own site's, and only under the account that the address names. One webhook address
   * may serve all sites of an account and all accounts, and labels may be the same or missing, so what the
   * callback says of itself places nothing. An id without a row is kept for the only site that it can be of;
   * where there are several it stands under none, until its visitor proves theirs.
   * @returns nothing when the visitor is not of that account
   */
  async function homeOf(tx: Transaction, visitor: string, named: string | undefined): Promise<Home | undefined> {
    const able = named === undefined ? sites.all : sites.all.filter(({ account }) => account === named);
    const [first, ...others] = able;
    if (first === undefined) return undefined;
    const account = others.every((other) => other.account === first.account) ? first.account : "";
    const row = await findVisitor(tx, visitor);
    if (row === undefined || row.site === NO_SITE)
      return { site: others.length === 0 ? first.public.id : NO_SITE, account };
    const own = sites.find(row.site);
    if (own === undefined) return { site: row.site, account };
    return able.includes(own) ? { site: row.site, account: own.account } : undefined;
  }

  /** Whether this relay knows whom the reply is for. */
  async function isKnown({ toId }: ReplyCallback, named: string | undefined): Promise<boolean> {
    const owner = await ownerOf(db, toId);
    return owner !== undefined && (await homeOf(db, owner, named)) !== undefined;
  }

  /**
   * Takes a reply. Resolves only when it is durable, or when it is certain that it cannot be kept.
   * @param named the account that the address names: the reply reaches visitors of its sites only
   * @returns `unknown` for ids of nobody here, `lost` when neither database nor spool takes it
   */
  async function receive(callback: ReplyCallback, named?: string): Promise<Received> {
    if (!isVisitorId(signing, callback.toId)) return "unknown";
    // Without a database to ask, an id with our own MAC is enough to keep the reply.
    if (!(await soon(isKnown(callback, named)).catch(() => true))) return "unknown";
    const reply: Reply = {
      visitor: callback.toId,
      ...(named === undefined ? {} : { named }),
      key: keyOf(callback),
      id: `r_${randomId(20)}`,
      text: callback.text,
      at: clock.now(),
      contact: callback.contactId ?? null,
    };
    // Behind a long spool it waits in the spool as well: the service has only seconds for an answer. And a database that
    // has just refused is not asked for each reply.
    if (spool.waiting && clock.uptime() >= replayAt) await soon(replay()).catch(() => {});
    if (spool.waiting) return keep(reply, "earlier replies wait in the spool");
    return soon(write(reply)).catch((error: unknown) => keep(reply, error));
  }

  /** The sender got our answer in time: the same body without an id, later, is a new reply then. */
  function answered(callback: ReplyCallback): void {
    const body = bodies.get(callback.digest);
    if (body !== undefined) body.clean = true;
  }

  return {
    receive,
    answered,
    /** Takes over what an earlier life left in the spool. */
    start: async () => {
      if (spool.waiting) await replay();
    },
    stop: async () => {
      cancelReplay();
      await replaying;
    },
  };
}

export type Receive = ReturnType<typeof createReceive>;
