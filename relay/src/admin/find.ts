import type { Clock } from "../base/clock.ts";
import type { Settings } from "../base/config.ts";
import { shortHash } from "../base/log.ts";
import type { Database } from "../db/database.ts";
import { type MessageName, messagesNamed, type NameKind, replyNamed, visitorsFitting } from "../records/search.ts";
import { findVisitor } from "../records/visitors.ts";
import { conversationPath, messagePath } from "./conversations.ts";
import { sees, type Viewer } from "./viewer.ts";

type FindDeps = { db: Database; clock: Clock; settings: Pick<Settings, "accounts"> };

/** The search for an id ends after this time, in milliseconds. */
const FIND_MS = 9_000;
/** Prefix of each `messageSid`. */
const SID = "pl_";

/** The form of a visitor's id in log lines. */
const SHORT = /^[\w-]{10}$/;

/**
 * The path of the page for an id: the conversation of a visitor's id, whole or as in a log line, or the message of an id in a log
 * line or an API answer, of a `messageSid`, or of the service's id of a reply. For any other text, the search page with this text.
 */
export async function pageOf(deps: FindDeps, id: string, viewer: Viewer): Promise<string> {
  if (id === "") return "/admin/conversations";
  if (await isSeen(deps, viewer, id)) return conversationPath(id);
  const looks = [() => repliesOf(deps, id), () => messagesOf(deps, "id", id), () => bySid(deps, id)];
  for (const look of looks) {
    const seen: MessageName[] = [];
    for (const each of await look()) if (await isSeen(deps, viewer, each.visitor)) seen.push(each);
    const [only, ...others] = seen;
    // The browser generates a message's id, so it is unique in its conversation only.
    if (only !== undefined && others.length === 0) return messagePath(only.visitor, only.id);
  }
  if (SHORT.test(id))
    for (const visitor of await visitorsOf(deps, id))
      if (await isSeen(deps, viewer, visitor)) return conversationPath(visitor);
  return `/admin/conversations?${new URLSearchParams({ words: id }).toString()}`;
}

/** Whether the conversation exists and the viewer may see it. */
async function isSeen({ db }: FindDeps, viewer: Viewer, visitor: string): Promise<boolean> {
  const found = await findVisitor(db, visitor);
  return found !== undefined && sees(viewer, found.site);
}

/** Replies with this id of the service, in any account. */
async function repliesOf({ db, settings }: FindDeps, id: string): Promise<MessageName[]> {
  const found = await Promise.all(settings.accounts.map((account) => replyNamed(db, `${account.id}:${id}`)));
  return found.flat();
}

const bySid = async (deps: FindDeps, id: string): Promise<MessageName[]> =>
  id.startsWith(SID) ? messagesOf(deps, "sid", id) : [];

/** The messages with this name, in all conversations. */
const messagesOf = ({ db, clock }: FindDeps, kind: NameKind, name: string): Promise<MessageName[]> =>
  bySlices(clock, (after) => messagesNamed(db, { kind, name, after }));

/** The visitors whose ids have this short form. Nothing stores the short forms, so each id is hashed (about 1 µs). */
const visitorsOf = ({ db, clock }: FindDeps, short: string): Promise<string[]> =>
  bySlices(clock, (after) => visitorsFitting(db, { fits: (id) => shortHash(id) === short, after }));

/** Everything that a search finds, slice by slice, until its end or until the time is over. */
async function bySlices<T>(
  clock: Clock,
  slice: (after: string) => Promise<{ found: T[]; next: string | undefined }>,
): Promise<T[]> {
  const until = clock.uptime() + FIND_MS;
  const all: T[] = [];
  for (let after: string | undefined = ""; after !== undefined && clock.uptime() < until; ) {
    const { found, next }: Awaited<ReturnType<typeof slice>> = await slice(after);
    all.push(...found);
    after = next;
    // Let other work run between two slices.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return all;
}
