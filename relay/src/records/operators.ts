import { randomId } from "@porchlight/shared/id";
import type { Transaction } from "../db/database.ts";

/** A login to the admin pages. `hash`: hash of the browser's secret. Times are milliseconds since 1970. */
export type AdminSession = {
  hash: string;
  created: number;
  seen: number;
  address: string;
  /** A reader changes nothing. */
  role: "admin" | "reader";
  /** A reader of one site only; `null`: of all sites. */
  site: string | null;
};

/** Stores a session. @returns false when it is stored already */
export async function addAdminSession(tx: Transaction, session: AdminSession): Promise<boolean> {
  const { hash, created, seen, address, role, site } = session;
  const sql = `INSERT INTO admin_sessions (hash, created, seen, address, role, site) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (hash) DO NOTHING`;
  return (await tx.run(sql, hash, created, seen, address, role, site)) > 0;
}

/** The login with this hash; undefined when it ended. */
export async function findAdminSession(tx: Transaction, hash: string): Promise<AdminSession | undefined> {
  const sql = "SELECT hash, created, seen, address, role, site FROM admin_sessions WHERE hash = $1";
  const [session] = await tx.all<AdminSession>(sql, hash);
  return session;
}

/** Stores the time of a session's last use. */
export async function touchAdminSession(tx: Transaction, hash: string, now: number): Promise<void> {
  await tx.run("UPDATE admin_sessions SET seen = $2 WHERE hash = $1", hash, now);
}

/** Ends one login. */
export async function endAdminSession(tx: Transaction, hash: string): Promise<void> {
  await tx.run("DELETE FROM admin_sessions WHERE hash = $1", hash);
}

/** Name in `meta` under which the last end of all logins is stored. */
const LAST_END_NAME = "admin.sessions.ended";

/** Ends all logins: the stored ones, and those that other nodes hold in memory. @param id an id that no earlier end has */
export async function endAllAdminSessions(tx: Transaction, id: string): Promise<void> {
  await tx.run("DELETE FROM admin_sessions");
  const put = "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
  await tx.run(put, LAST_END_NAME, id);
}

/** The id of the last end of all logins; empty when there was none. */
export async function lastEndOfAdminSessions(tx: Transaction): Promise<string> {
  const [row] = await tx.all<{ value: string }>("SELECT value FROM meta WHERE name = $1", LAST_END_NAME);
  return row?.value ?? "";
}

/** Deletes logins that were opened, or last used, too long ago. */
export async function dropAdminSessions(tx: Transaction, openedBefore: number, seenBefore: number): Promise<void> {
  await tx.run("DELETE FROM admin_sessions WHERE created < $1 OR seen < $2", openedBefore, seenBefore);
}

/** An operator's action. `subject` contains ids, never a person's texts. */
export type AuditEntry = { at: number; actor: string; action: string; subject: string };

/** Appends an action to the audit log. */
export async function addAudit(tx: Transaction, { at, actor, action, subject }: AuditEntry): Promise<void> {
  const sql = "INSERT INTO audit (id, at, actor, action, subject) VALUES ($1, $2, $3, $4, $5)";
  await tx.run(sql, randomId(16), at, actor, action, subject);
}

/** A page of the audit log, newest first. @param skip entries before the page */
export const auditPage = (tx: Transaction, limit: number, skip = 0): Promise<AuditEntry[]> =>
  tx.all("SELECT at, actor, action, subject FROM audit ORDER BY at DESC, id DESC LIMIT $1 OFFSET $2", limit, skip);
