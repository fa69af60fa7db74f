import type { Clock } from "../base/clock.ts";
import type { Settings } from "../base/config.ts";
import { shortHash } from "../base/log.ts";
import type { Database } from "../db/database.ts";
import { sendKey } from "../flows/outreach.ts";
import { findEvent } from "../records/events.ts";
import { findEntry, type LedgerEntry, type LedgerKind } from "../records/ledger/ledger.ts";
import { type IdKind, type MessageIds, messagesWithId, replyWithId, visitorIdsMatching } from "../records/search.ts";
import type { Sites } from "../records/sites.ts";
import { messagesFormerly } from "../records/tries.ts";
import { findVisitor } from "../records/visitors.ts";
import { seesEntry, shownMessagePath } from "./entry.ts";
import { conversationPath, entryPath, eventPath, messagePath } from "./paths.ts";
import { sees, sitesFor, type Viewer } from "./viewer.ts";

type FindDeps = { db: Database; clock: Clock; settings: Pick<Settings, "accounts">; sites: Sites };

/** The search for an id ends after this time, in milliseconds. */
const FIND_MS = 9_000;
/** Prefix of each `messageSid`. */
const SID_PREFIX = "pl_";
/** Prefix of a reply's id: a reply from a callback, or a message of the owner's backend. */
const REPLY_PREFIX = /^[rs]_/;

/** The form of a visitor's id in log lines. */
const SHORT_VISITOR_ID = /^[\w-]{10}$/;

/**
 * The path of the page for an id:
 * - the conversation, for a visitor's id: the whole id, or its form in log lines;
 * - the message, for its id, a `messageSid` that it has or had, the service's id of a reply, or the key of a message of the owner's backend;
 * - the ledger entry, for the key of a grant, or of a message that is in no conversation;
 * - the event with its tries, for the id of an event of a webhook;
 * - the search page with this text, for any other text.
 */
export async function pathForId(deps: FindDeps, id: string, viewer: Viewer): Promise<string> {
  if (id === "") return "/admin/conversations";
  if (await maySee(deps, viewer, id)) return conversationPath(id);
  const keyed = await entryOf(deps, id, viewer);
  if (keyed !== undefined) return (await shownMessagePath(deps.db, keyed)) ?? entryPath(keyed);
  const event = await findEvent(deps.db, id);
  if (event !== undefined && sitesFor(deps.sites, viewer).find(event.site)) return eventPath(event.id);
  const searches = [() => repliesOf(deps, id), () => messagesOf(deps, "id", id), () => byPrefix(deps, id)];
  for (const search of searches) {
    const seen: MessageIds[] = [];
    for (const each of await search()) if (await maySee(deps, viewer, each.visitor)) seen.push(each);
    const [only, ...others] = seen;
    // The browser generates a message's id, so it is unique in its conversation only.
    if (only !== undefined && others.length === 0) return messagePath(only.visitor, only.id);
  }
  if (SHORT_VISITOR_ID.test(id))
    for (const visitor of await visitorsOf(deps, id))
      if (await maySee(deps, viewer, visitor)) return conversationPath(visitor);
  return `/admin/conversations?${new URLSearchParams({ words: id }).toString()}`;
}

/** Whether the conversation exists and the viewer may see it. */
async function maySee({ db }: FindDeps, viewer: Viewer, visitor: string): Promise<boolean> {
  const found = await findVisitor(db, visitor);
  return found !== undefined && sees(viewer, found.site);
}

/** The newest ledger entry with this key that the viewer may see. A log line has the site before the key of a sent message. */
async function entryOf(
  { db, settings, sites }: FindDeps,
  key: string,
  viewer: Viewer,
): Promise<LedgerEntry | undefined> {
  const names: { kind: LedgerKind; account: string; key: string }[] = [
    ...settings.accounts.flatMap(({ id: account }) => [
      { kind: "send" as const, account, key },
      { kind: "grant" as const, account, key },
    ]),
    ...sites.all.map((site) => ({ kind: "send" as const, account: site.account, key: sendKey(site, key) })),
  ];
  const found = await Promise.all(names.map((name) => findEntry(db, name)));
  return found
    .filter((entry) => entry !== undefined && seesEntry(viewer, entry))
    .sort((a, b) => (b?.created ?? 0) - (a?.created ?? 0))[0];
}

/** Replies with this id of the service, in any account. */
async function repliesOf({ db, settings }: FindDeps, id: string): Promise<MessageIds[]> {
  const found = await Promise.all(settings.accounts.map((account) => replyWithId(db, `${account.id}:${id}`)));
  return found.flat();
}

/** Searches that no index serves. Only ids with the right prefix are searched for. */
async function byPrefix(deps: FindDeps, id: string): Promise<MessageIds[]> {
  if (REPLY_PREFIX.test(id)) return messagesOf(deps, "reply", id);
  if (!id.startsWith(SID_PREFIX)) return [];
  const found = await messagesOf(deps, "sid", id);
  return found.length > 0 ? found : bySlices(deps.clock, (after) => messagesFormerly(deps.db, id, after));
}

/** The messages with this id, in all conversations. */
const messagesOf = ({ db, clock }: FindDeps, kind: IdKind, id: string): Promise<MessageIds[]> =>
  bySlices(clock, (after) => messagesWithId(db, { kind, id, after }));

/** The visitors whose ids have this short form. Nothing stores the short forms, so each id is hashed (about 1 µs). */
const visitorsOf = ({ db, clock }: FindDeps, short: string): Promise<string[]> =>
  bySlices(clock, (after) => visitorIdsMatching(db, { matches: (id) => shortHash(id) === short, after }));

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
