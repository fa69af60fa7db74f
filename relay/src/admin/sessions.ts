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
import type { Viewer } from "./viewer.ts";

/** A login ends this long after it was opened, and after its last use, in milliseconds. */
const OPEN_MS = 7 * 86_400_000;
const IDLE_MS = 12 * 3_600_000;
/** The last use is written down at most this often. */
const TOUCH_MS = 60_000;
const KEY = ["admin sessions"];

export const COOKIE = "porchlight_admin";

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

/** The logins of operators: the browser holds a secret, the database its hash. */
export function createAdminSessions({ db, clock }: { db: Database; clock: Clock }) {
  return {
    /** @returns the secret for the browser */
    async open(address: string, { role, site }: Viewer): Promise<string> {
      const secret = newSecret();
      const now = clock.now();
      await db.transaction(async (tx) => {
        await dropAdminSessions(tx, now - OPEN_MS, now - IDLE_MS);
        await addAdminSession(tx, { hash: hashOf(secret), created: now, seen: now, address, role, site });
      }, KEY);
      return secret;
    },
    /** Who holds the session of this secret; nothing when there is none any more. */
    async viewerOf(secret: string): Promise<Viewer | undefined> {
      const session = secret === "" ? undefined : await findAdminSession(db, hashOf(secret));
      const now = clock.now();
      if (session === undefined || now - session.created > OPEN_MS || now - session.seen > IDLE_MS) return undefined;
      if (now - session.seen > TOUCH_MS) await db.transaction((tx) => touchAdminSession(tx, session.hash, now), KEY);
      return { role: session.role, site: session.site };
    },
    async end(secret: string): Promise<void> {
      await db.transaction((tx) => endAdminSessions(tx, hashOf(secret)), KEY);
    },
    async endAll(): Promise<void> {
      await db.transaction((tx) => endAdminSessions(tx), KEY);
    },
  };
}

/** What the forms of a session carry, so that no other page can send them: made of the session's secret, which no page sees. */
export const formToken = (secret: string): string => createHmac("sha256", secret).update("form").digest("base64url");
export const isFormToken = (secret: string, given: string): boolean => sameSecret(given, formToken(secret));
