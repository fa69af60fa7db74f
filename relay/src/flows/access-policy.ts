import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import { hashed, type Log } from "../base/log.ts";
import { isNet, isVast, netsOf } from "../base/nets.ts";
import { isVisitorId } from "../base/sign.ts";
import type { Database } from "../db/database.ts";
import type { ArrivingBody } from "../hooks/payloads.ts";
import type { HookAnswer, Hooks } from "../hooks/post.ts";
import { addBlock, type Block, everyBlock, removeBlock } from "../records/blocks.ts";
import type { PageSeen } from "../records/profiles.ts";
import { findVisitor } from "../records/visitors.ts";

type Parts = {
  db: Database;
  clock: Clock;
  log: Log;
  hooks: Hooks;
  /** Signs visitor ids. */
  signing: string;
};

/** What a visitor who has never written asks to be taken of them, and where from. */
export type Arrival = { visitor: string; address: string; text: string; page?: PageSeen | undefined };

/** Somebody beside this process may change the list: the command line does. */
const LOOK_MS = 2_000;
/** The owner's judge has this long, because a visitor waits for their first message to be taken. */
const JUDGE_MS = 5_000;

type Wanted = { visitors: Set<string>; holds: (address: string) => boolean };

/**
 * Who may come in: the owner's list of blocks, and the owner's judge of newcomers (RELIABILITY A, C24). The list is held
 * in memory, because it is looked at for every connection and every message that goes out.
 */
export function createAccessPolicy({ db, clock, log, hooks, signing }: Parts) {
  let lists = new Map<string, Wanted>();
  let known = "";
  let stopped = false;
  let cancel = (): void => {};
  let changed = (): void => {};

  async function look(): Promise<void> {
    const blocks = await everyBlock(db);
    const now = JSON.stringify(blocks);
    if (now === known) return;
    known = now;
    const values = Map.groupBy(blocks, ({ site }) => site);
    lists = new Map(
      [...values].map(([site, all]) => {
        const every = all.map(({ value }) => value);
        return [site, { visitors: new Set(every), holds: netsOf(every.filter(isNet)) }];
      }),
    );
    changed();
  }

  function lookLater(): void {
    cancel = clock.after(LOOK_MS, () => {
      void look()
        .catch((error: unknown) => log("database.failing", { cause: String(error) }))
        .finally(() => {
          if (!stopped) lookLater();
        });
    });
  }

  /** Whether the site does not want this visitor, or nobody from this address. */
  function refuses(site: string, visitor: string, address = ""): boolean {
    const list = lists.get(site);
    return list !== undefined && (list.visitors.has(visitor) || list.holds(address));
  }

  /**
   * Adds to the site's list of blocks.
   * @param confirmed the block may hold nearly everybody
   * @returns nothing when the value is neither a visitor's id of this relay nor an address; `vast` when it holds nearly
   *   everybody and nobody has confirmed that
   */
  async function block(given: Omit<Block, "id" | "at">, confirmed: boolean): Promise<Block | "vast" | undefined> {
    if (!isNet(given.value) && !isVisitorId(signing, given.value)) return undefined;
    if (isVast(given.value) && !confirmed) return "vast";
    const added = await db.transaction((tx) => addBlock(tx, { ...given, at: clock.now() }));
    await look();
    return added;
  }

  async function unblock(site: string, id: string): Promise<boolean> {
    const removed = await db.transaction((tx) => removeBlock(tx, site, id));
    await look();
    return removed;
  }

  /**
   * Asks the owner's judge about somebody of whom nothing was written yet. Without an answer the site's rule says what
   * counts, and that is to let them in unless it says otherwise: the budget still holds.
   */
  async function admits(site: Site, { visitor, address, text, page }: Arrival): Promise<boolean> {
    const { guard } = site;
    if (guard === undefined || (await findVisitor(db, visitor)) !== undefined) return true;
    const now = clock.now();
    // A signed identity has a row since its greeting, so a newcomer has none.
    const profile = { sub: null, contactId: null, page: page ?? null };
    const asked: ArrivingBody = {
      type: "visitor.arriving",
      timestamp: new Date(now).toISOString(),
      data: { site: site.public.id, visitor, ...profile, address, text },
    };
    const hook = { ...guard, id: `arr_${visitor}_${now}`, body: JSON.stringify(asked), within: JUDGE_MS };
    const answer = await hooks.post(hook, now);
    const said = verdictIn(answer);
    if (said === undefined)
      log("guard.silent", { site: site.public.id, status: answer.status, taken: guard.onFailure });
    const allowed = said ?? guard.onFailure === "allow";
    if (!allowed) log("guard.refused", { site: site.public.id, visitor: hashed(visitor) });
    return allowed;
  }

  return {
    refuses,
    block,
    unblock,
    admits,
    /** Calls `fn` whenever the list has changed. */
    onChange(fn: () => void): void {
      changed = fn;
    },
    async start(): Promise<void> {
      await look();
      lookLater();
    },
    stop(): void {
      stopped = true;
      cancel();
    },
  };
}

/** `{allow: boolean}` of a 2xx; nothing for any other answer. */
function verdictIn({ status, text }: HookAnswer): boolean | undefined {
  if (status < 200 || status > 299) return undefined;
  try {
    const { allow } = JSON.parse(text) as { allow?: unknown };
    return typeof allow === "boolean" ? allow : undefined;
  } catch {
    return undefined;
  }
}

export type AccessPolicy = ReturnType<typeof createAccessPolicy>;
