import { randomId } from "@porchlight/shared/id";
import type { Message } from "@porchlight/shared/protocol";
import type { Clock } from "../base/clock.ts";
import { createDeadlines } from "../base/deadlines.ts";
import { hashed, type Log } from "../base/log.ts";
import { isVisitorId } from "../base/sign.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database, Transaction } from "../db/database.ts";
import type { Spool } from "../db/spool.ts";
import { isEcho } from "../records/ledger/own-messages.ts";
import { describeFile, dropMedia, type MediaRow, sendMedia } from "../records/media.ts";
import type { Sites } from "../records/sites.ts";
import { appendReplies, createNumbers, isKnown } from "../records/threads.ts";
import {
  findVisitor,
  type Host,
  hostsOf,
  learnContact,
  NO_SITE,
  ownerOf,
  ownersOf,
  receiveHosts,
  type Visitor,
} from "../records/visitors.ts";
import { type Callback, NOT_HERE } from "../service/callbacks.ts";
import type { Tell } from "./notify.ts";

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
  /** A data: URL: the file that came with it. */
  file?: string;
  at: number;
  contact: string | null;
};

/** What became of a callback. `unknown`: nobody here has this id. `lost`: it could be written nowhere. */
export type Received = "stored" | "duplicate" | "spooled" | "unknown" | "lost";

type Home = { site: string; account: string };
/** `file`: key of the file that came with it, once it is stored. */
type Item = { reply: Reply; file: string | undefined };
/** A reply with the place where it belongs; `i`: which item of its batch it is. */
type Placed = Item & Home & { i: number; owner: string };
type Kept = { visitor: string; message: Message } | "duplicate" | "nobody";

const externalOf = ({ account, reply }: Pick<Placed, "account" | "reply">): string => `${account}:${reply.key}`;

type Parts = {
  db: Database;
  bus: Bus;
  clock: Clock;
  sites: Sites;
  spool: Spool<Reply>;
  log: Log;
  /** Tells the owner's backend. */
  tell?: Tell;
  /** Stores a file that came inside a reply; rejects when it is not let in. */
  keepFile?: (visitor: string, site: string, url: string) => Promise<MediaRow>;
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
export function createReceive(parts: Parts) {
  const { db, bus, clock, sites, spool, log, signing, keepFile, tell = async () => {} } = parts;
  /** Bodies without a message id: the key each got, when, and whether its sender got our answer. */
  const bodies = new Map<string, { key: string; at: number; clean: boolean }>();
  const patience = createDeadlines(clock, PATIENCE_MS);
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

  /**
   * Stores the file of a reply that is not here yet. One that is not let in, or that the store cannot take, is stood for by
   * a word in its message: the callback comes only once, and what a person sent never goes without a trace.
   */
  async function fileOf({ visitor, named, key, file }: Reply): Promise<string | undefined> {
    if (file === undefined) return undefined;
    const owner = await ownerOf(db, visitor);
    const home = owner === undefined ? undefined : homeOf(await findVisitor(db, owner), named);
    if (owner === undefined || home === undefined || (await isKnown(db, `${home.account}:${key}`))) return undefined;
    try {
      return (await keepFile?.(owner, home.site, file))?.key;
    } catch (error) {
      log("callback.file_refused", { visitor: hashed(owner), cause: String(error) });
      return undefined;
    }
  }

  async function write(reply: Reply): Promise<"stored" | "duplicate" | "unknown"> {
    const file = await fileOf(reply);
    const written = await db.append(writeAll, { reply, file }, [reply.visitor]);
    // Nobody's, then: somebody else wrote the same reply meanwhile.
    if (typeof written === "string" && file !== undefined) await db.transaction((tx) => dropMedia(tx, file), [file]);
    if (written === "nobody") return "unknown";
    if (written === "duplicate") return written;
    bus.publish({ visitor: written.visitor, head: written.message.n, changes: [written.message] });
    log("callback.stored", { visitor: hashed(written.visitor), message: written.message.id });
    return "stored";
  }

  /** Writes replies for many visitors into their threads. */
  async function writeAll(tx: Transaction, items: readonly Item[]): Promise<Kept[]> {
    const { owners, hosts: found } = await ownersAndHosts(
      tx,
      items.map(({ reply }) => reply.visitor),
    );
    const placed = items.flatMap(({ reply, file }, i) => {
      const owner = owners.get(reply.visitor);
      const home = owner === undefined ? undefined : homeOf(found.get(owner), reply.named);
      return owner === undefined || home === undefined ? [] : [{ i, reply, file, owner, ...home }];
    });
    const hosts = await receiveHosts(
      tx,
      placed.map(({ reply, owner, site }) => ({ id: owner, site, now: reply.at })),
      found,
    );
    const fresh = await withoutEchoes(tx, placed, hosts);
    const numbers = createNumbers(hosts.values());
    const entries = await Promise.all(fresh.map((placed) => entryOf(tx, placed)));
    const written = await appendReplies(tx, numbers, entries);
    await numbers.write(tx);
    const kept = new Map<number, Kept>(placed.map(({ i }) => [i, "duplicate"]));
    for (const [at, { i, site, owner }] of fresh.entries()) {
      const message = written[at] ?? "nobody";
      kept.set(i, typeof message === "string" ? message : { visitor: owner, message });
      const { id, text, media } = entries[at] ?? {};
      if (typeof message === "string" || id === undefined || text === undefined) continue;
      await tell(tx, site, "message.reply", { visitor: owner, id, text, ...(media && { file: describeFile(media) }) });
    }
    return items.map((_, i) => kept.get(i) ?? "nobody");
  }

  /** Whose threads these ids stand for, and the rows of those. Who has a row was neither deleted nor taken over. */
  async function ownersAndHosts(tx: Transaction, visitors: readonly string[]) {
    const hosts = await hostsOf(tx, visitors);
    const strange = visitors.filter((visitor) => !hosts.has(visitor));
    const found = await ownersOf(tx, strange);
    const owners = new Map<string, string | undefined>(visitors.map((visitor) => [visitor, visitor]));
    for (const [i, visitor] of strange.entries()) owners.set(visitor, found[i]);
    const others = found.filter((owner) => owner !== undefined && !hosts.has(owner)) as string[];
    await tx.lock(others);
    for (const [id, host] of await hostsOf(tx, others)) hosts.set(id, host);
    return { owners, hosts };
  }

  /** Those that are not messages of ours that come back. Remembers the service's contact of each visitor on the way. */
  async function withoutEchoes(
    tx: Transaction,
    placed: readonly Placed[],
    hosts: ReadonlyMap<string, Host>,
  ): Promise<Placed[]> {
    const fresh: Placed[] = [];
    for (const one of placed) {
      const { visitor, contact, text, at } = one.reply;
      // Not the owner's: the service has a contact of its own for the id that somebody had before they logged in.
      const host = hosts.get(visitor);
      if (contact !== null && host?.contact !== contact) await learnContact(tx, visitor, contact);
      const external = externalOf(one);
      // Only what the owner's side sent can come back. An id from before a login has no row of its own.
      const mayBeEcho = host === undefined || Boolean(host.written_to);
      if (!mayBeEcho || !(await isEcho(tx, { visitor, external, text, now: at }))) fresh.push(one);
    }
    return fresh;
  }

  async function entryOf(tx: Transaction, placed: Placed) {
    const { reply, file, owner } = placed;
    const media = file === undefined ? undefined : await sendMedia(tx, file, owner);
    const lost = reply.file !== undefined && media === undefined ? NOT_HERE : "";
    const text = [reply.text, lost].filter((part) => part !== "").join("\n");
    return { visitor: owner, id: reply.id, text, at: reply.at, external: externalOf(placed), media };
  }

  /** Resolves to what `work` does, or rejects when it takes too long; a late success is harmless, its key is unique. */
  function soon<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = patience(() => reject(new Error("The database is too slow")));
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
  function homeOf(row: Visitor | undefined, named: string | undefined): Home | undefined {
    const able = named === undefined ? sites.all : sites.all.filter(({ account }) => account === named);
    const [first, ...others] = able;
    if (first === undefined) return undefined;
    const account = others.every((other) => other.account === first.account) ? first.account : "";
    if (row === undefined || row.site === NO_SITE)
      return { site: others.length === 0 ? first.public.id : NO_SITE, account };
    const own = sites.find(row.site);
    if (own === undefined) return { site: row.site, account };
    return able.includes(own) ? { site: row.site, account: own.account } : undefined;
  }

  /** Whether this relay knows whom the reply is for. */
  async function knows({ toId }: ReplyCallback, named: string | undefined): Promise<boolean> {
    const owner = await ownerOf(db, toId);
    return owner !== undefined && homeOf(await findVisitor(db, owner), named) !== undefined;
  }

  /**
   * Takes a reply. Resolves only when it is durable, or when it is certain that it cannot be kept.
   * @param named the account that the address names: the reply reaches visitors of its sites only
   * @returns `unknown` for ids of nobody here, `lost` when neither database nor spool takes it
   */
  async function receive(callback: ReplyCallback, named?: string): Promise<Received> {
    if (!isVisitorId(signing, callback.toId)) return "unknown";
    const reply: Reply = {
      visitor: callback.toId,
      ...(named === undefined ? {} : { named }),
      key: keyOf(callback),
      id: `r_${randomId(20)}`,
      text: callback.text,
      ...(callback.file === undefined ? {} : { file: callback.file }),
      at: clock.now(),
      contact: callback.contactId ?? null,
    };
    // Behind a long spool it waits in the spool as well: the service has only seconds for an answer. And a database that
    // has just refused is not asked for each reply.
    if (spool.waiting && clock.uptime() >= replayAt) await soon(replay()).catch(() => {});
    const { waiting } = spool;
    const written = waiting ? undefined : await soon(write(reply)).catch((error: unknown) => ({ error }));
    if (typeof written === "string") return written;
    // Without a database to ask, an id with our own MAC is enough to keep the reply.
    if (!(await soon(knows(callback, named)).catch(() => true))) return "unknown";
    return keep(reply, written === undefined ? "earlier replies wait in the spool" : written.error);
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
