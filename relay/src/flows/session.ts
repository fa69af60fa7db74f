import { CLOSE, type Ending } from "@porchlight/shared/close";
import { randomId } from "@porchlight/shared/id";
import { GAP_MAX, PAGE } from "@porchlight/shared/limits";
import { type ErrorFrame, type Hello, PROTOCOL, type Welcome } from "@porchlight/shared/protocol";
import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import type { CheckIdentity, IdentifiedPerson } from "../base/identity.ts";
import { hashed, type Log, silentLog } from "../base/log.ts";
import { claimsFor } from "../base/routes.ts";
import {
  identifiedVisitorId,
  isIdentified,
  isVisitorId,
  newVisitorId,
  type Session,
  signSession,
  verifySession,
} from "../base/sign.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database, Transaction } from "../db/database.ts";
import { emailOf, setDetails } from "../records/details.ts";
import { complaintFor, moveLeads } from "../records/leads.ts";
import { moveMedia } from "../records/media.ts";
import { moveLane } from "../records/outbox.ts";
import { setSubject } from "../records/profiles.ts";
import { moveRating, ratingOf } from "../records/ratings.ts";
import { findGuest, type Guest, revoke, type Standing, standingIn, standingOf, takeTurn } from "../records/sessions.ts";
import type { Sites } from "../records/sites.ts";
import { moveSubscription } from "../records/subscriptions.ts";
import { moveThread, page } from "../records/threads.ts";
import {
  addUser,
  addVisitor,
  findVisitor,
  NO_SITE,
  setClaims,
  succeed,
  type Visitor,
  wasForgotten,
} from "../records/visitors.ts";
import type { FirstNameOf } from "./first-names.ts";

/** A session lasts this long after its last use, and its token is replaced after a day. */
const SESSION_MS = 180 * 86_400_000;
const RENEW_MS = 86_400_000;
/** A token that was replaced is good for so long after the new one was used: tabs of one browser may be under way with it. */
const GRACE_MS = 10 * 60_000;
/** For so long, a form that was refused is a matter of the visitor; then only of the owner. */
const COMPLAINT_MS = 86_400_000;

/** A visitor who was let in: who, where, by which session, and from which number the thread is read. */
export type Opened = {
  visitor: string;
  site: Site;
  session: string;
  generation: number;
  /** Nothing is written of them yet. */
  fresh: boolean;
  welcome: Omit<Welcome, "delivery">;
  /** What a form of theirs was not told while they were away. */
  complaint: ErrorFrame | undefined;
};

type Parts = {
  db: Database;
  bus: Bus;
  sites: Sites;
  signing: string;
  epoch: string;
  clock: Clock;
  log?: Log;
  /** The check of a site's signed identities; nothing where the site has no keys for them. */
  identity: (site: string) => CheckIdentity | undefined;
  /** First name of a person whose identity was signed, to greet them by. Never rejects. */
  nameOf: FirstNameOf;
  /** Tells the courier that a lane has something to deliver. */
  wake: (lane: { visitor: string; account: string; first: boolean }) => void;
};
type Known = {
  session: Session;
  row: Visitor | undefined;
  /** The visitor of the token that came along: whose log the client holds. */
  holds?: string | undefined;
  /** What else was read with the row; absent: it is to be read. */
  guest?: Guest | undefined;
  /** A new one, for the client to keep. */
  token: string | undefined;
  name?: string | undefined;
};

/**
 * Turns a `hello` into a visitor, or into the reason why not. An anonymous visitor is only minted here: the first row is
 * written with the first message, so opening the chat costs no storage.
 *
 * Who logs in brings the anonymous thread of the same browser along, once: it becomes a part of the user's, and its id
 * gives way. What the service still sends to that id reaches the user; what was still to be delivered under it is. Names
 * and addresses that were only typed stay behind: the user's are what the owner signed (RELIABILITY 3b).
 */
export function createSession(parts: Parts) {
  const { db, bus, sites, signing, epoch, clock, identity, nameOf, wake, log = silentLog } = parts;
  const begin = (visitor: string, site: string, generation: number): Session => ({
    visitor,
    site,
    generation,
    expires: clock.now() + SESSION_MS,
    id: randomId(16),
    turn: 0,
  });
  const sign = (session: Session): string => signSession(signing, { ...session, expires: clock.now() + SESSION_MS });

  function greet(site: Site): Known | undefined {
    if (site.requireIdentity) return undefined;
    const session = begin(newVisitorId(signing), site.public.id, 1);
    return { session, row: undefined, token: sign(session) };
  }

  async function recognise(
    given: string,
    site: Site,
    strict: boolean | undefined = site.requireIdentity,
    greets = true,
  ): Promise<Known | undefined> {
    const session = verifySession(signing, given, clock.now());
    if (session === undefined || session.site !== site.public.id || !isVisitorId(signing, session.visitor))
      return undefined;
    if (strict && !isIdentified(session.visitor)) return undefined;
    const row = await findGuest(db, session.visitor, session.id);
    const standing = row === undefined ? await standingOf(db, session.id) : standingIn(row);
    if (standing.revoked) return undefined;
    if (row === undefined && (await wasForgotten(db, session.visitor))) return undefined;
    if (row !== undefined && row.generation !== session.generation) return undefined;
    if (row?.site === NO_SITE)
      await db.transaction((tx) => addVisitor(tx, row.id, site.public.id, clock.now()), [row.id]);
    const turned = row === undefined ? renewed(session) : await turn(session, standing, greets);
    return turned && { session, row, guest: row, holds: session.visitor, token: turned.token };
  }

  const isOld = ({ expires }: Session): boolean => expires - clock.now() < SESSION_MS - RENEW_MS;
  /** Of somebody who never wrote nothing can be stolen: their token only gets more time. */
  const renewed = (session: Session) => ({ token: isOld(session) ? sign(session) : undefined });

  /**
   * Replaces a token that is older than a day (RELIABILITY A8). Offering a new one writes nothing, and the old one stays
   * good until somebody comes back with the new one: an answer that is lost locks nobody out. From then on, and after
   * a grace for tabs that are under way, the old one is a copy in other hands: the session ends for everybody.
   * @param greets false: where a tab may hold an old token for long, it is only refused
   * @returns nothing when the token is void
   */
  async function turn(
    session: Session,
    { turn, since }: Standing,
    greets: boolean,
  ): Promise<{ token: string | undefined } | undefined> {
    const now = clock.now();
    if (session.turn >= turn) {
      if (session.turn > turn && greets)
        await db.transaction(
          (tx) => takeTurn(tx, { session: session.id, turn: session.turn, now, expires: now + SESSION_MS + RENEW_MS }),
          [session.id],
        );
      return { token: isOld(session) ? sign({ ...session, turn: session.turn + 1 }) : undefined };
    }
    if (session.turn === turn - 1 && now - since < GRACE_MS) return { token: sign({ ...session, turn }) };
    if (!greets) return undefined;
    log("session.reused", { visitor: hashed(session.visitor) });
    await logout(session.visitor, session.id);
    return undefined;
  }

  // ── signed identities ─────────────────────────────────────────────────────────────────────────────────────────

  /** The person's thread, with that of the anonymous visitor whose token came along. */
  async function identify(hello: Hello, token: string, site: Site): Promise<Known | Ending> {
    const person = await identity(site.public.id)?.(token);
    if (person === undefined) return CLOSE.badToken;
    if (person === "unavailable") return CLOSE.overload;
    const id = identifiedVisitorId(signing, site.public.id, person.subject);
    const given = hello.token === undefined ? undefined : await recognise(hello.token, site, false);
    const anonymous = given !== undefined && !isIdentified(given.session.visitor) ? given.session.visitor : undefined;
    const { user, moved } = await db.transaction(
      (tx) => enter(tx, id, site, person, anonymous),
      anonymous === undefined ? [id] : [id, anonymous],
    );
    if (anonymous !== undefined) bus.publish({ visitor: anonymous, head: 0, ended: "*" });
    bus.publish({ visitor: id, head: user.head });
    if (moved > 0) wake({ visitor: id, account: site.account, first: false });
    const name = await nameOf(site.account, person);
    if (given?.session.visitor === id) return { ...given, row: user, guest: undefined, name };
    const session = begin(id, site.public.id, user.generation);
    return { session, row: user, token: sign(session), name };
  }

  async function enter(
    tx: Transaction,
    id: string,
    site: Site,
    person: IdentifiedPerson,
    anonymous: string | undefined,
  ) {
    const now = clock.now();
    const user = await addUser(tx, id, site.public.id, now);
    const claims = claimsFor(site.routes ?? [], person.claims);
    if (Object.keys(claims).length > 0) await setClaims(tx, id, JSON.stringify(claims));
    const moved = anonymous === undefined ? 0 : await merge(tx, anonymous, user, now);
    await setSubject(tx, id, person.subject);
    await setDetails(tx, id, person);
    return { user: (await findVisitor(tx, id)) ?? user, moved };
  }

  /**
   * Once: where another tab was here first, the anonymous id has nothing left to move.
   * @returns how many messages go on being delivered in the user's lane
   */
  async function merge(tx: Transaction, anonymous: string, user: Visitor, now: number): Promise<number> {
    const old = await findVisitor(tx, anonymous);
    if (old !== undefined) await moveThread(tx, anonymous, user.id, user.head);
    const moved = old === undefined ? 0 : await moveLane(tx, anonymous, user.id, user.head);
    await moveMedia(tx, anonymous, user.id);
    await moveLeads(tx, anonymous, user.id);
    await moveSubscription(tx, anonymous, user.id, user.head);
    await moveRating(tx, anonymous, user.id);
    await succeed(tx, old, anonymous, user, now);
    return moved;
  }

  // ── the thread ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Where the stream of changes starts: after what the client holds, or anew with the newest page. */
  async function startOf(
    since: number | undefined,
    { session, row }: Known,
  ): Promise<{ after: number; reset: boolean; older: boolean }> {
    const head = row?.head ?? 0;
    if (since !== undefined && since <= head && head - since <= GAP_MAX) {
      return { after: since, reset: false, older: false };
    }
    const newest = head === 0 ? [] : await page(db, session.visitor, head + 1, PAGE + 1);
    const first = newest.length > PAGE ? newest[1] : undefined;
    return { after: first === undefined ? 0 : first.pos - 1, reset: true, older: first !== undefined };
  }

  /** The number up to which the client holds this very log: a number of another visitor's says nothing. */
  function heldBy(hello: Hello, { session, holds }: Known): number | undefined {
    if (hello.epoch !== epoch || holds === undefined) return undefined;
    return holds === session.visitor ? hello.since : undefined;
  }

  async function open(hello: Hello, origin: string): Promise<Opened | Ending> {
    if (hello.v !== PROTOCOL) return CLOSE.version;
    const site = sites.find(hello.site);
    if (site === undefined || !sites.allows(site, origin)) return CLOSE.notAllowed;
    const known = await letIn(hello, site);
    if (known === undefined) return CLOSE.badToken;
    if ("code" in known) return known;
    const start = await startOf(heldBy(hello, known), known);
    const { head, read } = known.row ?? { head: 0, read: 0 };
    const token = known.token === undefined ? {} : { token: known.token };
    const name = known.name === undefined ? {} : { name: known.name };
    const { row, guest } = known;
    const given = row && (guest?.rating ?? true) ? await ratingOf(db, row.id) : undefined;
    const email = guest === undefined ? row && (await emailOf(db, row.id)) !== undefined : Boolean(guest.email);
    const more = { ...token, ...name, ...(email && { email }), ...(given && { rating: given }) };
    return {
      visitor: known.session.visitor,
      site,
      session: known.session.id,
      generation: known.session.generation,
      fresh: known.row === undefined,
      welcome: { t: "welcome", v: PROTOCOL, now: clock.now(), epoch, ...start, head, read, ...more },
      complaint:
        row && (guest?.refused ?? true) ? await complaintFor(db, row.id, clock.now() - COMPLAINT_MS) : undefined,
    };
  }

  /** Ends a session: its tokens are void from now on, and every connection that has it is told. */
  async function logout(visitor: string, session: string): Promise<void> {
    const now = clock.now();
    await db.transaction(
      async (tx) => {
        // Nobody can read anything with the tokens of somebody who never wrote.
        if ((await findVisitor(tx, visitor)) !== undefined) await revoke(tx, session, now + SESSION_MS, now);
      },
      [visitor],
    );
    bus.publish({ visitor, head: 0, ended: session });
  }

  async function letIn(hello: Hello, site: Site): Promise<Known | Ending | undefined> {
    if (hello.identity !== undefined) return identify(hello, hello.identity, site);
    return hello.token === undefined ? greet(site) : recognise(hello.token, site);
  }

  return {
    open,
    /** Whose session a token is, when pages of this origin may use it. */
    async who(token: string, origin: string): Promise<{ visitor: string; site: string } | undefined> {
      const site = sites.find(verifySession(signing, token, clock.now())?.site ?? "");
      if (site === undefined || !sites.allows(site, origin)) return undefined;
      const known = await recognise(token, site, site.requireIdentity, false);
      return known && { visitor: known.session.visitor, site: site.public.id };
    },
    logout,
  };
}

export type Sessions = ReturnType<typeof createSession>;
