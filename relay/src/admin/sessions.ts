import { createHash, createHmac } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { newSecret, sameSecret } from "../base/sign.ts";
import type { Database } from "../db/database.ts";
import {
  addAdminSession,
  dropAdminSessions,
  endAdminSessions,
  findAdminSession,
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

export const COOKIE = "porchlight_admin";

type SessionDeps = { db: Database; clock: Clock; access: Pick<AdminAccess, "hashOf"> };

/**
 * Sessions of operators. The browser stores `<name of the token>.<random text>`; the database stores a hash of this text and of
 * the token, so a session ends when its token is revoked or replaced.
 */
export function createAdminSessions({ db, clock, access }: SessionDeps) {
  /** The hash under which a session is stored; undefined when its token is no longer valid. */
  async function hashOf(secret: string): Promise<string | undefined> {
    const token = await access.hashOf(secret.slice(0, Math.max(0, secret.indexOf("."))));
    return token && createHash("sha256").update(`${token} ${secret}`).digest("base64url");
  }
  return {
    /** Opens a session. @returns the secret for the browser; undefined when the token has become invalid meanwhile */
    async open(address: string, { name, viewer: { role, site } }: Credential): Promise<string | undefined> {
      const secret = `${name}.${newSecret()}`;
      const hash = await hashOf(secret);
      if (hash === undefined) return undefined;
      const now = clock.now();
      await db.transaction(async (tx) => {
        await dropAdminSessions(tx, now - OPEN_MS, now - IDLE_MS);
        await addAdminSession(tx, { hash, created: now, seen: now, address, role, site });
      }, LOCK);
      return secret;
    },
    /** The viewer of the session with this secret; undefined when the session has ended. */
    async viewerOf(secret: string): Promise<Viewer | undefined> {
      const hash = await hashOf(secret);
      const session = hash && (await findAdminSession(db, hash));
      const now = clock.now();
      if (!session || now - session.created > OPEN_MS || now - session.seen > IDLE_MS) return undefined;
      if (now - session.seen > TOUCH_MS) await db.transaction((tx) => touchAdminSession(tx, session.hash, now), LOCK);
      return { role: session.role, site: session.site };
    },
    async end(secret: string): Promise<void> {
      const hash = await hashOf(secret);
      if (hash !== undefined) await db.transaction((tx) => endAdminSessions(tx, hash), LOCK);
    },
    async endAll(): Promise<void> {
      await db.transaction((tx) => endAdminSessions(tx), LOCK);
    },
  };
}

/** The CSRF token in the forms of a session. It is derived from the session's secret, which no page can read. */
export const formToken = (secret: string): string => createHmac("sha256", secret).update("form").digest("base64url");
export const isFormToken = (secret: string, given: string): boolean => sameSecret(given, formToken(secret));
