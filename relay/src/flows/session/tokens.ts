import { randomId } from "@porchlight/shared/id";
import type { Site } from "../../base/config.ts";
import { hashed } from "../../base/log.ts";
import { isIdentified, isVisitorId, newVisitorId, type Session, signSession, verifySession } from "../../base/sign.ts";
import type { Transaction } from "../../db/database.ts";
import {
  countSessionRows,
  dropSessionRows,
  findReturningVisitor,
  findSessionState,
  recordRotation,
  revoke,
  type SessionState,
  sessionStateIn,
} from "../../records/sessions.ts";
import { addVisitor, findVisitor, NO_SITE, renewGeneration, wasForgotten } from "../../records/visitors.ts";
import type { KnownVisitor, SessionDeps } from "./state.ts";

/** A session ends this long after its last use, in ms. */
const SESSION_MS = 180 * 86_400_000;
/** A token is replaced at this age, in ms. */
const RENEW_MS = 86_400_000;
/** A replaced token stays valid for this long (ms) after the first use of the new one, because other tabs may still send it. */
const GRACE_MS = 10 * 60_000;
/**
 * Most rows about the sessions of one visitor. A row stays for half a year, and a user with a signed identity may log in and
 * out as often as a page can connect (RELIABILITY A27). Instead of adding one more row, the relay ends all sessions of the visitor
 * and deletes their rows. A user's page signs in again by itself; an anonymous visitor has one session, so at most two rows.
 */
const ROWS_MAX = 100;

type TokenDeps = Pick<SessionDeps, "db" | "bus" | "signing" | "clock" | "log">;

/** A new session. @param generation the visitor's generation: sessions of another one are invalid */
export const beginSession = (
  { clock }: Pick<TokenDeps, "clock">,
  visitor: string,
  site: string,
  generation: number,
): Session => ({ visitor, site, generation, expires: clock.now() + SESSION_MS, id: randomId(16), rotation: 0 });

/** The token of a session, valid from now on for `SESSION_MS`. */
export const tokenFor = ({ clock, signing }: Pick<TokenDeps, "clock" | "signing">, session: Session): string =>
  signSession(signing, { ...session, expires: clock.now() + SESSION_MS });

/** Creates an anonymous visitor; undefined if the site accepts only signed identities. Writes no row. */
export function createAnonymous(deps: TokenDeps, site: Site): KnownVisitor | undefined {
  if (site.requireIdentity) return undefined;
  const session = beginSession(deps, newVisitorId(deps.signing, deps.clock.now()), site.public.id, 1);
  return { session, row: undefined, token: tokenFor(deps, session) };
}

type Recognition = {
  /** Accept only visitors with a signed identity. Default: the site's rule. */
  identifiedOnly?: boolean | undefined;
  /** The token came in a `hello`. Other requests may carry the same token for a long time, and get no new one. */
  isHello?: boolean;
};

/** Finds the visitor of a session token. @returns undefined when the token is invalid, or the site does not accept it */
export async function recognise(
  deps: TokenDeps,
  token: string,
  site: Site,
  { identifiedOnly = site.requireIdentity, isHello = true }: Recognition = {},
): Promise<KnownVisitor | undefined> {
  const { db, signing, clock } = deps;
  const session = verifySession(signing, token, clock.now());
  if (session === undefined || session.site !== site.public.id || !isVisitorId(signing, session.visitor))
    return undefined;
  if (identifiedOnly && !isIdentified(session.visitor)) return undefined;
  const row = await findReturningVisitor(db, session.visitor, session.id);
  const state = row === undefined ? await findSessionState(db, session.id) : sessionStateIn(row);
  if (state.revoked) return undefined;
  if (row === undefined && (await wasForgotten(db, session.visitor))) return undefined;
  if (row !== undefined && row.generation !== session.generation) return undefined;
  if (row?.site === NO_SITE)
    await db.transaction((tx) => addVisitor(tx, row.id, site.public.id, clock.now()), [row.id]);
  // Nothing can be stolen from a visitor who never wrote, so the token is only renewed.
  const kept =
    row === undefined ? { token: extended(deps, session) } : await replaceToken(deps, session, state, isHello);
  return kept && { session, row, stored: row, logOf: session.visitor, token: kept.token };
}

const isOld = ({ clock }: Pick<TokenDeps, "clock">, { expires }: Session): boolean =>
  expires - clock.now() < SESSION_MS - RENEW_MS;

const extended = (deps: TokenDeps, session: Session): string | undefined =>
  isOld(deps, session) ? tokenFor(deps, session) : undefined;

/**
 * Replaces a token that is older than a day (A8). Offering a new token writes nothing, and the old one stays valid until a
 * client uses the new one, so a lost answer locks nobody out. After that, and a grace period for other tabs, the old token can
 * only be a stolen copy: the session ends on every device.
 * @param isHello false: an old token is only refused
 * @returns the new token, if there is one; undefined when the given token is invalid
 */
async function replaceToken(
  deps: TokenDeps,
  session: Session,
  { rotation, since }: SessionState,
  isHello: boolean,
): Promise<{ token: string | undefined } | undefined> {
  const now = deps.clock.now();
  if (session.rotation >= rotation) {
    if (session.rotation > rotation && isHello && !(await takeNewToken(deps, session, rotation === 0)))
      return undefined;
    return { token: isOld(deps, session) ? tokenFor(deps, { ...session, rotation: session.rotation + 1 }) : undefined };
  }
  if (session.rotation === rotation - 1 && now - since < GRACE_MS)
    return { token: tokenFor(deps, { ...session, rotation }) };
  if (!isHello) return undefined;
  deps.log("session.reused", { visitor: hashed(session.visitor) });
  await endSession(deps, session.visitor, session.id);
  return undefined;
}

/**
 * Records the first use of a new token.
 * @param isFirst no token of this session was replaced before
 * @returns false when the session was ended instead
 */
async function takeNewToken({ db, bus, clock }: TokenDeps, session: Session, isFirst: boolean): Promise<boolean> {
  const { id, visitor, rotation } = session;
  const now = clock.now();
  const expires = now + SESSION_MS + RENEW_MS;
  const ended = await db.transaction(
    async (tx) => {
      if (isFirst && (await endAllAtLimit(tx, session, now))) return true;
      await recordRotation(tx, { session: id, visitor, rotation, now, expires });
      return false;
    },
    [id, visitor],
  );
  if (ended) bus.publish({ visitor, head: 0, ended: "*" });
  return !ended;
}

/** Ends all sessions of a visitor, and drops their rows, if there is no room for another row. @returns whether it did */
async function endAllAtLimit(
  tx: Transaction,
  { visitor, site }: Pick<Session, "visitor" | "site">,
  now: number,
): Promise<boolean> {
  if ((await countSessionRows(tx, visitor)) < ROWS_MAX) return false;
  await renewGeneration(tx, site, [visitor], now);
  await dropSessionRows(tx, visitor);
  return true;
}

/** Ends a session: its tokens become invalid, and all its connections are told. */
export async function endSession({ db, bus, clock }: TokenDeps, visitor: string, session: string): Promise<void> {
  const now = clock.now();
  const all = await db.transaction(
    async (tx) => {
      const row = await findVisitor(tx, visitor);
      // The tokens of a visitor who never wrote give access to nothing.
      if (row === undefined) return false;
      if (await endAllAtLimit(tx, { visitor, site: row.site }, now)) return true;
      await revoke(tx, { session, visitor, expires: now + SESSION_MS, now });
      return false;
    },
    [visitor],
  );
  bus.publish({ visitor, head: 0, ended: all ? "*" : session });
}
