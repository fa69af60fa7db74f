import { CLOSE, type Ending } from "@porchlight/shared/close";
import type { Hello } from "@porchlight/shared/protocol";
import type { Site } from "../../base/config.ts";
import type { IdentifiedPerson } from "../../base/identity.ts";
import { claimsFor } from "../../base/routes.ts";
import { identifiedVisitorId, isIdentified, type Session } from "../../base/sign.ts";
import type { Transaction } from "../../db/database.ts";
import { isBeingDeleted } from "../../records/deletions.ts";
import { setDetails } from "../../records/details.ts";
import { moveLeads } from "../../records/leads.ts";
import { moveMedia } from "../../records/media.ts";
import { moveLane } from "../../records/outbox.ts";
import { setSubject } from "../../records/profiles.ts";
import { moveRating } from "../../records/ratings.ts";
import { revoke } from "../../records/sessions.ts";
import { moveSubscription } from "../../records/subscriptions.ts";
import { moveThread } from "../../records/threads.ts";
import { addUser, findVisitor, replaceByUser, setClaims, type Visitor } from "../../records/visitors.ts";
import type { KnownVisitor, SessionDeps } from "./state.ts";
import { beginSession, recognise, tokenFor } from "./tokens.ts";

/**
 * Opens the session of a visitor with a signed identity. If the same browser had an anonymous thread, that thread is merged
 * into the user's thread, once. Messages of the service to the anonymous id then reach the user, and waiting messages are still
 * delivered under that id. Names and addresses that the visitor typed are dropped; the owner's signed ones count (RELIABILITY
 * 3b).
 * @param identity the signed identity in `hello`
 */
export async function logIn(
  deps: SessionDeps,
  hello: Hello,
  identity: string,
  site: Site,
): Promise<KnownVisitor | Ending> {
  const { db, bus, signing, wake } = deps;
  const person = await deps.identity(site.public.id)?.(identity);
  if (person === undefined) return CLOSE.badToken;
  if (person === "unavailable") return CLOSE.overload;
  const id = identifiedVisitorId(signing, site.public.id, person.subject);
  const given =
    hello.token === undefined ? undefined : await recognise(deps, hello.token, site, { identifiedOnly: false });
  const guest = given !== undefined && !isIdentified(given.session.visitor) ? given.session : undefined;
  const anonymous = guest?.visitor;
  const { user, moved } = await db.transaction(
    (tx) => storeUser(tx, { id, site, person, guest, now: deps.clock.now() }),
    anonymous === undefined ? [id] : [id, anonymous],
  );
  if (anonymous !== undefined) bus.publish({ visitor: anonymous, head: 0, ended: "*" });
  bus.publish({ visitor: id, head: user.head });
  if (moved > 0) wake({ visitor: id, account: site.account, first: false });
  const name = await deps.nameOf(site.account, person);
  if (given?.session.visitor === id) return { ...given, row: user, stored: undefined, name };
  const session = beginSession(deps, id, site.public.id, user.generation);
  return { session, row: user, token: tokenFor(deps, session), name };
}

/** A login of a verified person. `guest`: the anonymous session of the same browser. `now`: ms since 1970. */
type Login = { id: string; site: Site; person: IdentifiedPerson; guest: Session | undefined; now: number };

async function storeUser(tx: Transaction, { id, site, person, guest, now }: Login) {
  const user = await addUser(tx, id, site.public.id, now);
  const claims = claimsFor(site.routes ?? [], person.claims);
  if (Object.keys(claims).length > 0) await setClaims(tx, id, JSON.stringify(claims));
  const moved = guest === undefined ? 0 : await merge(tx, guest, user, now);
  await setSubject(tx, id, person.subject);
  await setDetails(tx, id, person, { signed: true });
  return { user: (await findVisitor(tx, id)) ?? user, moved };
}

/** The session of an anonymous visitor who never wrote is refused for this long after a login, in ms. */
const REFUSED_MS = 86_400_000;

/**
 * Moves everything of an anonymous visitor to the user. Does nothing if another tab did that before. For a visitor who
 * never wrote, only the session ends, so that other tabs learn of the login: a row that remembers a replaced id stays forever.
 * A visitor whose deletion has begun is not moved, because the deletion would not find the rest of the data under the new id.
 * @returns the number of messages that are now delivered in the user's lane
 */
async function merge(tx: Transaction, guest: Session, user: Visitor, now: number): Promise<number> {
  const anonymous = guest.visitor;
  const ended = { session: guest.id, visitor: anonymous, expires: now + REFUSED_MS, now };
  if (await isBeingDeleted(tx, anonymous)) {
    await revoke(tx, ended);
    return 0;
  }
  const old = await findVisitor(tx, anonymous);
  if (old !== undefined) await moveThread(tx, anonymous, user.id, user.head);
  const moved = old === undefined ? 0 : await moveLane(tx, anonymous, user.id, user.head);
  await moveMedia(tx, anonymous, user.id);
  await moveLeads(tx, anonymous, user.id);
  await moveSubscription(tx, anonymous, user.id, user.head);
  await moveRating(tx, anonymous, user.id);
  if (old === undefined) await revoke(tx, ended);
  else await replaceByUser(tx, old, user, now);
  return moved;
}
