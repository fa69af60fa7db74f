import type { Clock } from "../base/clock.ts";
import { limitConcurrency } from "../base/concurrency.ts";
import type { Site } from "../base/config.ts";
import { hashed, type Log } from "../base/log.ts";
import { createNetSet, isNet, isTooBroad, type NetSet } from "../base/nets.ts";
import { createPoll } from "../base/poll.ts";
import { isVisitorId } from "../base/sign.ts";
import type { Database } from "../db/database.ts";
import { oneReadPerTick } from "../db/one-read-per-tick.ts";
import type { ArrivingBody } from "../hooks/payloads.ts";
import type { HookAnswer, Hooks } from "../hooks/post.ts";
import { addBlock, allBlocks, type Block, blocksRevision, removeBlock } from "../records/blocks.ts";
import type { PageSeen } from "../records/profiles.ts";
import { findVisitor } from "../records/visitors.ts";

type AccessPolicyDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  hooks: Pick<Hooks, "post">;
  /** The key that signs visitor ids. */
  signing: string;
};

/** The first message of a visitor who has never written, and the address that it came from. */
export type Arrival = { visitor: string; address: string; text: string; page?: PageSeen | undefined };

/** Finds the visitor of a session token that pages of this origin may use. */
export type FindByToken = (token: string, origin: string) => Promise<{ visitor: string; site: string } | undefined>;

/** Decides who may chat. */
export type AccessPolicy = {
  /** Whether the site blocks this visitor, or this address. */
  isBlocked: (site: string, visitor: string, address?: string) => boolean;
  /** Wraps `find` so that it finds no visitor whom the site blocks, and none at an address that the site blocks. */
  withoutBlocked: (find: FindByToken) => (token: string, origin: string, address: string) => ReturnType<FindByToken>;
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
   * Asks the owner's guard whether to accept the first message of a new visitor. Without an answer, the site's `onFailure`
   * decides. Known visitors, and visitors of a site without a guard, are accepted without asking.
   */
  passesGuard: (site: Site, arrival: Arrival) => Promise<boolean>;
  /** Calls `listener` whenever the list has changed. A second listener replaces the first. */
  onChange: (listener: () => void) => void;
  /** Reads the list, then checks for changes every `REFRESH_MS`. Resolves when the list was read. */
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

type NewBlock = Omit<Block, "id" | "at">;
type SiteBlocks = { visitors: Set<string>; nets: NetSet };
type State = AccessPolicyDeps & {
  /** By site. Held in memory, because every connection and every outgoing message is checked. */
  blocks: Map<string, SiteBlocks>;
  /** The revision of the list that was read, and when; undefined before the first read. `at`: monotonic milliseconds. */
  seen: { revision: string | undefined; at: number } | undefined;
  /** Runs one read of the list at a time, so that an older list never replaces a newer one. */
  oneAtATime: ReturnType<typeof limitConcurrency>;
  listener: () => void;
};

/** The relay checks at this interval (ms) whether the list has changed, because other processes change it too. */
const REFRESH_MS = 2_000;
/**
 * An unchanged list is read again after this time (ms): during an upgrade, nodes of versions that store no revision may
 * change it.
 */
const REREAD_MS = 60_000;
/** Longest time for the guard's answer, in ms, because the visitor waits. */
const GUARD_MS = 5_000;

/** Decides who may chat: the owner's list of blocks, and the owner's guard for new visitors (A27, C24). */
export function createAccessPolicy(deps: AccessPolicyDeps): AccessPolicy {
  const state: State = {
    ...deps,
    blocks: new Map(),
    seen: undefined,
    oneAtATime: limitConcurrency(1),
    listener: () => {},
  };
  const { clock, log } = deps;
  const onError = (error: unknown): void => log("database.failing", { cause: String(error) });
  const poll = createPoll({ clock, every: REFRESH_MS, run: () => refresh(state), onError });
  return {
    isBlocked: (site, visitor, address = "") => isBlocked(state, site, visitor, address),
    withoutBlocked: (find) => async (token, origin, address) => {
      const found = await find(token, origin);
      return found !== undefined && isBlocked(state, found.site, found.visitor, address) ? undefined : found;
    },
    block: (given, confirmed) => block(state, given, confirmed),
    unblock: (site, id) => unblock(state, site, id),
    passesGuard: (site, arrival) => passesGuard(state, site, arrival),
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

/** Reads the list if it has changed, and calls the listener. */
const refresh = (state: State): Promise<void> => state.oneAtATime(() => readChanged(state));

async function readChanged(state: State): Promise<void> {
  const { seen, clock } = state;
  // Reads and adds 500 blocks per tick of the event loop: 10,000 at once took 90 ms (RELIABILITY A24).
  const db = oneReadPerTick(state.db);
  // Read before the list, so that the next refresh notices a change that is made during this one.
  const revision = await blocksRevision(db);
  const at = clock.uptime();
  if (seen !== undefined && seen.revision === revision && at - seen.at < REREAD_MS) return;
  const blocks: State["blocks"] = new Map();
  for await (const slice of allBlocks(db)) for (const { site, value } of slice) add(blocks, site, value);
  state.blocks = blocks;
  state.seen = { revision, at };
  state.listener();
}

function add(blocks: State["blocks"], site: string, value: string): void {
  const ofSite = blocks.get(site) ?? { visitors: new Set(), nets: createNetSet() };
  blocks.set(site, ofSite);
  if (!ofSite.nets.add(value)) ofSite.visitors.add(value);
}

function isBlocked({ blocks }: State, site: string, visitor: string, address: string): boolean {
  const ofSite = blocks.get(site);
  return ofSite !== undefined && (ofSite.visitors.has(visitor) || ofSite.nets.covers(address));
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

async function passesGuard({ db, clock, log, hooks }: State, site: Site, arrival: Arrival): Promise<boolean> {
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
 * The request to the guard about a visitor without a row. `sub` is null: `hello` stores a row for each signed identity.
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
