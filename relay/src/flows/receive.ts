import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import { hashed, type Log } from "../base/log.ts";
import { isVisitorId } from "../base/sign.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database, Transaction } from "../db/database.ts";
import { isEcho } from "../records/echoes.ts";
import type { Sites } from "../records/sites.ts";
import { appendReply } from "../records/threads.ts";
import { addVisitor, findVisitor, learnContact, ownerOf } from "../records/visitors.ts";
import type { Callback } from "../service/callbacks.ts";
import type { Spool } from "../spool.ts";

type ReplyCallback = Extract<Callback, { kind: "reply" }>;

/** A reply as it is written down, in the database or in the spool. */
export type Reply = {
  visitor: string;
  /** The visitor's, as far as was known when it came. */
  site: string;
  account: string;
  /** Unique per reply of an account: a second callback with the same key writes nothing. */
  key: string;
  id: string;
  text: string;
  at: number;
  contact: string | null;
};

/** What became of a callback. `unknown`: nobody here has this id. `lost`: it could be written nowhere. */
export type Received = "stored" | "duplicate" | "spooled" | "unknown" | "lost";

type Home = Pick<Reply, "site" | "account">;

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

  /** The account whose channel the callback names; one webhook address serves all of a relay's accounts. */
  const siteFor = (channel: string | undefined) => sites.all.find((site) => site.channel === channel) ?? sites.all[0];

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
      await addVisitor(tx, owner, reply.site, at);
      const { site, account } = await homeOf(tx, owner, reply);
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

  /** The visitor's site, while it exists. What the callback says of itself is a guess beside it. */
  async function homeOf(tx: Transaction, visitor: string, guess: Home): Promise<Home> {
    const row = await findVisitor(tx, visitor);
    const site = row && sites.find(row.site);
    return site === undefined ? guess : { site: site.public.id, account: site.account };
  }

  /** Who the reply is for, and where: nothing when this relay does not know them. */
  async function addressee(callback: ReplyCallback, guess: Home): Promise<Home | undefined> {
    const owner = await ownerOf(db, callback.toId);
    return owner === undefined ? undefined : homeOf(db, owner, guess);
  }

  /**
   * Takes a reply. Resolves only when it is durable, or when it is certain that it cannot be kept.
   * @returns `unknown` for ids of nobody here, `lost` when neither database nor spool takes it
   */
  async function receive(callback: ReplyCallback): Promise<Received> {
    const site = siteFor(callback.channel);
    if (site === undefined || !isVisitorId(signing, callback.toId)) return "unknown";
    const guess = { site: site.public.id, account: site.account };
    // Without a database to ask, an id with our own MAC is enough to keep the reply.
    const home = await soon(addressee(callback, guess)).catch(() => guess);
    if (home === undefined) return "unknown";
    const reply: Reply = {
      visitor: callback.toId,
      ...home,
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
