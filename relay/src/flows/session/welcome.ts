import { GAP_MAX, PAGE_MESSAGES } from "@porchlight/shared/limits";
import { type ErrorFrame, type Hello, PROTOCOL, type Welcome } from "@porchlight/shared/protocol";
import { storedEmail } from "../../records/details.ts";
import { formErrorFor } from "../../records/leads.ts";
import { ratingOf } from "../../records/ratings.ts";
import { messagesBefore } from "../../records/threads.ts";
import type { KnownVisitor, SessionDeps } from "./state.ts";

/** A refused form is shown to its visitor for this long (ms); afterwards only the owner sees it. */
const SHOW_REFUSAL_MS = 86_400_000;

type WelcomeDeps = Pick<SessionDeps, "db" | "clock" | "epoch">;

/** The `welcome` frame of a visitor, without the state of delivery. */
export async function welcomeOf(
  deps: WelcomeDeps,
  hello: Hello,
  known: KnownVisitor,
): Promise<Omit<Welcome, "delivery">> {
  const { db, clock, epoch } = deps;
  const { row, stored, token, name } = known;
  const start = await startOf(deps, knownPosition(deps, hello, known), known);
  const { head, read } = row ?? { head: 0, read: 0 };
  const rating = row && (stored?.rating ?? true) ? await ratingOf(db, row.id) : undefined;
  const email = stored === undefined ? row && (await storedEmail(db, row.id)) !== undefined : Boolean(stored.email);
  return {
    ...({ t: "welcome", v: PROTOCOL, now: clock.now(), epoch, head, read } as const),
    ...start,
    ...(token !== undefined && { token }),
    ...(name !== undefined && { name }),
    ...(email && { email }),
    ...(rating && { rating }),
  };
}

/** The error of the visitor's newest form, if it was refused while they were away and a correctable field caused it. */
export async function missedFormError({ db, clock }: WelcomeDeps, { row, stored }: KnownVisitor) {
  const refused = row !== undefined && (stored?.refused ?? true);
  return refused
    ? await formErrorFor(db, row.id, clock.now() - SHOW_REFUSAL_MS)
    : (undefined as ErrorFrame | undefined);
}

/** The start of the stream of changes: after the client's number, or at the newest page of messages. */
async function startOf(
  { db }: WelcomeDeps,
  since: number | undefined,
  { session, row }: KnownVisitor,
): Promise<{ after: number; reset: boolean; older: boolean }> {
  const head = row?.head ?? 0;
  if (since !== undefined && since <= head && head - since <= GAP_MAX)
    return { after: since, reset: false, older: false };
  const newest = head === 0 ? [] : await messagesBefore(db, session.visitor, head + 1, PAGE_MESSAGES + 1);
  const first = newest.length > PAGE_MESSAGES ? newest[1] : undefined;
  return { after: first === undefined ? 0 : first.pos - 1, reset: true, older: first !== undefined };
}

/** The number up to which the client has this log; undefined when it has the log of another visitor or epoch. */
function knownPosition({ epoch }: WelcomeDeps, hello: Hello, { session, logOf }: KnownVisitor): number | undefined {
  return hello.epoch === epoch && logOf === session.visitor ? hello.since : undefined;
}
