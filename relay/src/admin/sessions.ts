import { createHash, createHmac } from "node:crypto";
import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { newSecret, sameSecret } from "../base/sign.ts";
import type { Database, Transaction } from "../db/database.ts";
import { isRefusal } from "../db/writable.ts";
import {
  type AdminSession,
  addAdminSession,
  addAudit,
  dropAdminSessions,
  endAdminSession,
  endAllAdminSessions,
  findAdminSession,
  lastEndOfAdminSessions,
  touchAdminSession,
} from "../records/operators.ts";
import type { AdminAccess, Credential } from "./access.ts";
import type { Viewer } from "./viewer.ts";

/** A session ends this long after its login, in milliseconds. */
const OPEN_MS = 7 * 86_400_000;
/** A session ends this long after its last use, in milliseconds. */
const IDLE_MS = 12 * 3_600_000;
/** The time of the last use is stored at most once in this time, in milliseconds. */
const TOUCH_MS = 60_000;
/** Lock of the transactions that change sessions. */
const LOCK = ["admin sessions"];
/** Lock of the transaction that also adds an entry to the audit log. */
const SAVE_LOCK = [...LOCK, "audit"];
/** Most sessions in memory, while the database accepts no writes. Above it, a reader's oldest one ends, else an admin's. */
const UNSAVED_MAX = 100;

/** Name of the cookie that holds a session's secret. */
export const COOKIE = "porchlight_admin";

type SessionDeps = { db: Database; clock: Clock; log: Log; access: Pick<AdminAccess, "hashOf"> };

/** A session in memory, and the last end of all sessions when it was opened. */
type Unsaved = { session: AdminSession; end: string };

/**
 * Stores a new session and its entry in the audit log. Changes nothing for a session that is stored already: an earlier attempt
 * may have succeeded although the database reported a failure.
 * @param hasEnded whether the session was ended before the transaction began, here or by another node
 * @returns whether it is stored
 */
const save = (db: Database, session: AdminSession, hasEnded: (tx: Transaction) => Promise<boolean>): Promise<boolean> =>
  db.transaction(async (tx) => {
    if (await hasEnded(tx)) return false;
    const { created, seen, address, role, site } = session;
    await dropAdminSessions(tx, seen - OPEN_MS, seen - IDLE_MS);
    if (await addAdminSession(tx, session))
      await addAudit(tx, { at: created, actor: `${role} at ${address}`, action: "sign in", subject: site ?? "" });
    return true;
  }, SAVE_LOCK);

/** Whether all sessions were ended after this one was opened. Another node cannot remove it from this process's memory. */
const endedSince = async (tx: Transaction, { end }: Unsaved): Promise<boolean> =>
  (await lastEndOfAdminSessions(tx)) !== end;

/**
 * The sessions in the database. Operators must be able to sign in even while it accepts no writes. This process keeps such
 * a session in memory, and stores it at the first request after the database accepts writes again.
 */
function createStore({ db, log }: Pick<SessionDeps, "db" | "log">) {
  /** Sessions that are not stored yet, by hash, the oldest first. */
  const unsaved = new Map<string, Unsaved>();
  /** Hashes of those that are being stored now. */
  const saving = new Set<string>();
  async function keepInMemory(session: AdminSession, error: unknown): Promise<void> {
    if (!isRefusal(error)) throw error;
    const { hash, address, role } = session;
    log("admin.unsaved", { actor: `${role} at ${address}`, cause: String(error) });
    unsaved.set(hash, { session, end: await lastEndOfAdminSessions(db) });
    if (unsaved.size <= UNSAVED_MAX) return;
    const kept = Array.from(unsaved.values(), (each) => each.session);
    const ended = kept.find((each) => each.role === "reader") ?? kept[0];
    if (ended !== undefined) unsaved.delete(ended.hash);
  }
  async function storeUse(session: AdminSession): Promise<void> {
    const { hash, seen } = session;
    const kept = unsaved.get(hash);
    if (kept === undefined) return db.transaction((tx) => touchAdminSession(tx, hash, seen), LOCK);
    if (saving.has(hash)) return;
    kept.session = session;
    saving.add(hash);
    const hasEnded = async (tx: Transaction) => unsaved.get(hash) !== kept || (await endedSince(tx, kept));
    const stored = await save(db, session, hasEnded).finally(() => saving.delete(hash));
    if (stored) unsaved.delete(hash);
  }
  return {
    async open(session: AdminSession): Promise<void> {
      await save(db, session, async () => false).catch((error: unknown) => keepInMemory(session, error));
    },
    async find(hash: string): Promise<AdminSession | undefined> {
      const kept = unsaved.get(hash);
      if (kept === undefined) return findAdminSession(db, hash);
      if (!(await endedSince(db, kept))) return kept.session;
      unsaved.delete(hash);
      return undefined;
    },
    /** Stores when a session was last used. A session that is only in memory is stored whole. */
    async touch(session: AdminSession, now: number): Promise<void> {
      if (!unsaved.has(session.hash) && now - session.seen <= TOUCH_MS) return;
      await storeUse({ ...session, seen: now }).catch((error: unknown) => {
        // The next request tries again. The overview and Doctor say that the database accepts no writes.
        if (!isRefusal(error)) throw error;
      });
    },
    /** Ends one session, or all of them. When the database refuses it, none has ended. */
    async end(hash?: string): Promise<void> {
      const ended = [...unsaved].filter(([each]) => hash === undefined || each === hash);
      // Before the transaction: otherwise a request that is under way could store the session after it.
      for (const [each] of ended) unsaved.delete(each);
      const id = randomId(16);
      await db
        .transaction((tx) => (hash === undefined ? endAllAdminSessions(tx, id) : endAdminSession(tx, hash)), LOCK)
        .catch((error: unknown) => {
          for (const [each, kept] of ended) unsaved.set(each, kept);
          throw error;
        });
    },
  };
}

/**
 * Sessions of operators. The browser stores `<name of the token>.<random text>`; the database stores a hash of this text and of
 * the token, so a session ends when its token is revoked or replaced.
 */
export function createAdminSessions({ db, clock, log, access }: SessionDeps) {
  const store = createStore({ db, log });
  /** The hash under which a session is stored; undefined when its token is no longer valid. */
  async function hashOf(secret: string): Promise<string | undefined> {
    const token = await access.hashOf(secret.slice(0, Math.max(0, secret.indexOf("."))));
    return token && createHash("sha256").update(`${token} ${secret}`).digest("base64url");
  }
  return {
    /**
     * Opens a session, and adds an entry to the audit log.
     * @returns the secret for the browser; undefined when the token has become invalid meanwhile
     */
    async open(address: string, { name, viewer: { role, site } }: Credential): Promise<string | undefined> {
      const secret = `${name}.${newSecret()}`;
      const hash = await hashOf(secret);
      if (hash === undefined) return undefined;
      const now = clock.now();
      await store.open({ hash, created: now, seen: now, address, role, site });
      return secret;
    },
    /** The viewer of the session with this secret; undefined when the session has ended. */
    async viewerOf(secret: string): Promise<Viewer | undefined> {
      const hash = await hashOf(secret);
      const session = hash && (await store.find(hash));
      const now = clock.now();
      if (!session || now - session.created > OPEN_MS || now - session.seen > IDLE_MS) return undefined;
      await store.touch(session, now);
      return { role: session.role, site: session.site };
    },
    /** Ends the session with this secret. Rejects, and ends nothing, when the database refuses the change. */
    async end(secret: string): Promise<void> {
      const hash = await hashOf(secret);
      if (hash !== undefined) await store.end(hash);
    },
    /** Ends all sessions, also those that other nodes have in memory. Rejects as `end` does. */
    endAll: (): Promise<void> => store.end(),
  };
}

/** The CSRF token in the forms of a session. It is derived from the session's secret, which no page can read. */
export const formToken = (secret: string): string => createHmac("sha256", secret).update("form").digest("base64url");
/** Whether a form carries the CSRF token of this session. */
export const isFormToken = (secret: string, given: string): boolean => sameSecret(given, formToken(secret));
