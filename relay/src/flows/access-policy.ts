import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import { hashed, type Log } from "../base/log.ts";
import { isNet, isTooBroad, netMatcher } from "../base/nets.ts";
import { createPoll } from "../base/poll.ts";
import { isVisitorId } from "../base/sign.ts";
import type { Database } from "../db/database.ts";
import type { ArrivingBody } from "../hooks/payloads.ts";
import type { HookAnswer, Hooks } from "../hooks/post.ts";
import { addBlock, allBlocks, type Block, removeBlock } from "../records/blocks.ts";
import type { PageSeen } from "../records/profiles.ts";
import { findVisitor } from "../records/visitors.ts";

type AccessPolicyDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  hooks: Pick<Hooks, "post">;
  /** Signs visitor ids. */
  signing: string;
};

/** The first message of a visitor who has never written, and the address that it came from. */
export type Arrival = { visitor: string; address: string; text: string; page?: PageSeen | undefined };

/** Finds the visitor of a session token that pages of this origin may use. */
export type FindByToken = (token: string, origin: string) => Promise<{ visitor: string; site: string } | undefined>;

export type AccessPolicy = {
  /** Whether the site blocks this visitor, or this address. */
  refuses: (site: string, visitor: string, address?: string) => boolean;
  /** Wraps `find`: it finds no visitor that the site blocks. */
  withoutBlocked: (find: FindByToken) => FindByToken;
  /**
   * Adds to a site's list of blocks.
   * @param confirmed the owner confirmed that the block may cover nearly all visitors
   * @returns undefined when the value is neither a visitor's id of this relay nor an address; `too_broad` when it covers nearly all
   * visitors and is not confirmed
   */
  block: (given: NewBlock, confirmed: boolean) => Promise<Block | "too_broad" | undefined>;
  /** Removes a block. @returns false when the site has no such block */
  unblock: (site: string, id: string) => Promise<boolean>;
  /**
   * Asks the owner's guard about the first message of a new visitor. Without an answer, the site's `onFailure` decides.
   * @returns whether the message is accepted; always true for a known visitor, and for a site without a guard
   */
  admits: (site: Site, arrival: Arrival) => Promise<boolean>;
  /** Calls `listener` whenever the list has changed. One listener at a time. */
  onChange: (listener: () => void) => void;
  /** Reads the list. Resolves when it is known. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

type NewBlock = Omit<Block, "id" | "at">;
type SiteBlocks = { visitors: Set<string>; covers: (address: string) => boolean };
type State = AccessPolicyDeps & {
  /** By site. Held in memory, because every connection and every outgoing message is checked. */
  blocks: Map<string, SiteBlocks>;
  /** The last version of the list that was read, as JSON, to detect changes. */
  seen: string;
  listener: () => void;
};

/** The list is read again at this interval (ms), because the command line changes it from another process. */
const REFRESH_MS = 2_000;
/** Longest time for the guard's answer, in ms, because the visitor waits. */
const GUARD_MS = 5_000;

/** Decides who may chat: the owner's list of blocks, and the owner's guard for new visitors (A27, C24). */
export function createAccessPolicy(deps: AccessPolicyDeps): AccessPolicy {
  const state: State = { ...deps, blocks: new Map(), seen: "", listener: () => {} };
  const { clock, log } = deps;
  const onError = (error: unknown): void => log("database.failing", { cause: String(error) });
  const poll = createPoll({ clock, every: REFRESH_MS, run: () => refresh(state), onError });
  const refuses = (site: string, visitor: string, address = ""): boolean => isBlocked(state, site, visitor, address);
  return {
    refuses,
    withoutBlocked: (find) => async (token, origin) => {
      const found = await find(token, origin);
      return found !== undefined && refuses(found.site, found.visitor) ? undefined : found;
    },
    block: (given, confirmed) => block(state, given, confirmed),
    unblock: (site, id) => unblock(state, site, id),
    admits: (site, arrival) => admits(state, site, arrival),
    onChange(listener) {
      state.listener = listener;
    },
    async start() {
      await refresh(state);
      poll.start();
    },
    stop: poll.stop,
  };
}

/** Reads the list, and tells the listener when it has changed. */
async function refresh(state: State): Promise<void> {
  const all = await allBlocks(state.db);
  const seen = JSON.stringify(all);
  if (seen === state.seen) return;
  state.seen = seen;
  const bySite = Map.groupBy(all, ({ site }) => site);
  state.blocks = new Map(Array.from(bySite, ([site, blocks]) => [site, siteBlocks(blocks.map(({ value }) => value))]));
  state.listener();
}

const siteBlocks = (values: string[]): SiteBlocks => ({
  visitors: new Set(values),
  covers: netMatcher(values.filter(isNet)),
});

function isBlocked({ blocks }: State, site: string, visitor: string, address: string): boolean {
  const ofSite = blocks.get(site);
  return ofSite !== undefined && (ofSite.visitors.has(visitor) || ofSite.covers(address));
}

async function block(state: State, given: NewBlock, confirmed: boolean): Promise<Block | "too_broad" | undefined> {
  const { db, clock, signing } = state;
  if (!isNet(given.value) && !isVisitorId(signing, given.value)) return undefined;
  if (isTooBroad(given.value) && !confirmed) return "too_broad";
  const added = await db.transaction((tx) => addBlock(tx, { ...given, at: clock.now() }));
  await refresh(state);
  return added;
}

async function unblock(state: State, site: string, id: string): Promise<boolean> {
  const removed = await state.db.transaction((tx) => removeBlock(tx, site, id));
  await refresh(state);
  return removed;
}

async function admits({ db, clock, log, hooks }: State, site: Site, arrival: Arrival): Promise<boolean> {
  const { guard } = site;
  const { visitor } = arrival;
  if (guard === undefined || (await findVisitor(db, visitor)) !== undefined) return true;
  const now = clock.now();
  const body = JSON.stringify(arrivingBody(site.public.id, arrival, now));
  const answer = await hooks.post({ ...guard, id: `arr_${visitor}_${now}`, body, within: GUARD_MS }, now);
  const decision = decisionIn(answer);
  if (decision === undefined)
    log("guard.silent", { site: site.public.id, status: answer.status, taken: guard.onFailure });
  const allowed = decision ?? guard.onFailure === "allow";
  if (!allowed) log("guard.refused", { site: site.public.id, visitor: hashed(visitor) });
  return allowed;
}

/**
 * The request to the guard. A visitor with a signed identity has a row since `hello`, so a new visitor has no `sub`.
 */
function arrivingBody(site: string, { visitor, address, text, page }: Arrival, now: number): ArrivingBody {
  const profile = { sub: null, contactId: null, page: page ?? null };
  const timestamp = new Date(now).toISOString();
  return { type: "visitor.arriving", timestamp, data: { site, visitor, ...profile, address, text } };
}

/** Reads `{allow: boolean}` from a 2xx answer; undefined for any other answer. */
function decisionIn({ status, text }: HookAnswer): boolean | undefined {
  if (status < 200 || status > 299) return undefined;
  try {
    const { allow } = JSON.parse(text) as { allow?: unknown };
    return typeof allow === "boolean" ? allow : undefined;
  } catch {
    return undefined;
  }
}
