import { hash } from "node:crypto";
import { randomId } from "@porchlight/shared/id";
import { EMOJI_MAX } from "@porchlight/shared/limits";
import type { Message } from "@porchlight/shared/protocol";
import type { Clock } from "../base/clock.ts";
import type { Site } from "../base/config.ts";
import { campaignFor, type Situation } from "../base/routes.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database, Transaction } from "../db/database.ts";
import { describeFile, type MediaRow, sendMedia } from "../records/media.ts";
import { addParcel, addParcels, type Head, type Parcel } from "../records/outbox.ts";
import { type PageSeen, setPage } from "../records/profiles.ts";
import { reserve } from "../records/quotas.ts";
import {
  appendSent,
  createNumbers,
  findMessage,
  mark,
  newestReply,
  renewSid,
  setReaction,
  type Written,
} from "../records/threads.ts";
import { fixCampaign, type Host, receiveHosts, routingOf } from "../records/visitors.ts";
import type { Tell } from "./notify.ts";

type Parts = {
  db: Database;
  bus: Bus;
  clock: Clock;
  /** Milliseconds until an undelivered message fails. */
  horizon: number;
  /** Tells the courier that a lane has something to deliver. */
  wake: (lane: { visitor: string; account: string; first: boolean; head?: Head | undefined }) => void;
  /** Tells the owner's backend. */
  tell?: Tell;
  /** A message of the site waits for a later day's budget. */
  onHeld?: (site: Site, until: number) => void;
};

/**
 * `messageSid` of a message: made from the visitor's id and the client's, which are unique together (R-224). So a message
 * that comes again after a backup was restored is no second one for the service either.
 */
const sidOf = (visitor: string, id: string): string =>
  `pl_${hash("sha256", `${visitor}\0${id}`, "base64url").slice(0, 26)}`;
const newSid = (): string => `pl_${randomId(26)}`;

/** What a visitor wrote: the client's id for it, the words, the key of its file, and where they wrote it. */
export type Draft = {
  id: string;
  text: string;
  media?: string | undefined;
  situation?: Situation;
  page?: PageSeen | undefined;
};

/** A draft of a visitor, when it came, and its `messageSid`. */
type Item = { visitor: string; site: Site; draft: Draft; at: number; sid: string };
/** What came of it. `head`: the parcel with what it carries, where the batch knows all of that. */
type Kept = (Written & { due?: number; head?: Head | undefined }) | "gone" | "unknown_media";
type Posted = { item: Item; entry: Written; host: Host; media: MediaRow | undefined };
type News = { n: number; first: boolean; message?: Message; head?: Head | undefined };

const NO_FILE = { key: null, name: null, type: null, size: null, width: null, height: null };

/** One emoji as people choose them, of however many code points. */
const EMOJI = /^\p{RGI_Emoji}$/v;

/** The budget of the days to come is used up. */
class Full extends Error {}
const fullness = (error: unknown): "full" => {
  if (error instanceof Full) return "full";
  throw error;
};

/** A visitor's message: durable in thread and outbox, in one transaction, before anybody hears of it. */
export function createSend({ db, bus, clock, horizon, wake, tell = async () => {}, onHeld = () => {} }: Parts) {
  /** Sites whose budget of the day is used, and until when. */
  const held = new Map<string, number>();

  /**
   * @returns the stored message; `fresh` is false when the id was known, and then nothing was written. `gone` when the
   *   visitor is not there any more, `unknown_media` when the file is not theirs, `full` when the site's budget of the
   *   next days is used up: the client keeps the message
   * @throws what the database throws; then nothing was written, and the client keeps the message
   */
  async function send(visitor: string, site: Site, draft: Draft): Promise<Written | "gone" | "unknown_media" | "full"> {
    const at = clock.now();
    const item = { visitor, site, draft, at, sid: sidOf(visitor, draft.id) };
    const written = await db.append(write, item, [visitor]).catch(fullness);
    if (typeof written === "string") return written;
    const { message, fresh, due = at, head } = written;
    if (due > at) hold(site, due);
    if (fresh) announce(visitor, site, { n: message.n, first: message.pos === 1, message, head });
    return { message, fresh };
  }

  /** Writes messages of many visitors into their threads and into the outbox. */
  async function write(tx: Transaction, items: readonly Item[]): Promise<Kept[]> {
    const hosts = await receiveHosts(
      tx,
      items.map(({ visitor, site, at }) => ({ id: visitor, site: site.public.id, now: at })),
    );
    const files = await filesOf(tx, items);
    const known = items.filter((_, i) => files[i] !== "unknown_media");
    const media = files.filter((file) => file !== "unknown_media");
    const numbers = createNumbers(hosts.values());
    const written = await appendSent(
      tx,
      numbers,
      known.map(({ visitor, draft: { id, text }, at, sid }, i) => ({ visitor, id, text, at, sid, media: media[i] })),
    );
    await numbers.write(tx);
    const parcels: Parcel[] = [];
    const kept = new Map<Item, Kept>();
    for (const [i, item] of known.entries()) {
      const entry = written[i];
      const host = hosts.get(item.visitor);
      if (entry === undefined || host === undefined) kept.set(item, "gone");
      else if (!entry.fresh) kept.set(item, entry);
      else kept.set(item, await post(tx, { item, entry, host, media: media[i] }, parcels));
    }
    await addParcels(tx, parcels);
    return items.map((item) => kept.get(item) ?? "unknown_media");
  }

  /** Adds a written message to `parcels`, and does what its site asks for besides. */
  async function post(tx: Transaction, { item, entry, host, media }: Posted, parcels: Parcel[]): Promise<Kept> {
    const { visitor, site, draft, at, sid } = item;
    const { id, text, page } = draft;
    const due = await dueFor(tx, site, at);
    // Thrown, so that nothing of the message is written.
    if (due === undefined) throw new Full();
    const { pos } = entry.message;
    const added = parcel(visitor, site, pos, pos, due);
    parcels.push(added);
    const routed = site.routes !== undefined && site.routes.length > 0;
    if (routed) await route(tx, visitor, site, draft.situation);
    if (page !== undefined && (page.url !== host.page || page.title !== host.page_title))
      await setPage(tx, visitor, page);
    await tell(tx, site.public.id, "message.visitor", {
      visitor,
      id,
      text,
      ...(media && { file: describeFile(media) }),
    });
    const { site: home, campaign, untold } = host;
    // What waits in the lane already goes first, and the courier reads it.
    const isNext = host.waiting === null;
    host.waiting ??= pos;
    const head =
      routed || !isNext
        ? undefined
        : {
            ...{ ...added, id, at, text, sid, error: null, site: home, sender: visitor, campaign, untold },
            ...(media ?? NO_FILE),
          };
    return { ...entry, due, head };
  }

  /** The files that messages carry: nothing where a message has none. */
  async function filesOf(tx: Transaction, items: readonly Item[]): Promise<(MediaRow | undefined | "unknown_media")[]> {
    const files: (MediaRow | undefined | "unknown_media")[] = [];
    for (const { visitor, draft } of items)
      files.push(
        draft.media === undefined ? undefined : ((await sendMedia(tx, draft.media, visitor)) ?? "unknown_media"),
      );
    return files;
  }

  /**
   * When a message may go: now, or on the first later day whose budget has room. The owner hears of it once a day.
   * @returns nothing when the budget of a whole week is promised already
   */
  async function dueFor(tx: Transaction, site: Site, now: number): Promise<number | undefined> {
    const { messagesPerDay: perDay } = site;
    if (perDay === undefined) return now;
    const found = await reserve(tx, { site: site.public.id, perDay, now });
    if (found?.first) await tell(tx, site.public.id, "budget.reached", { messagesPerDay: perDay });
    return found?.due;
  }

  /** Remembers, for what visitors are told, that messages of the site wait for another day. */
  function hold(site: Site, until: number): void {
    const name = site.public.id;
    const midnight = Math.min(until, held.get(name) ?? until);
    if (held.get(name) === midnight) return;
    held.set(name, midnight);
    onHeld(site, midnight);
  }

  /** Chooses who answers, once per conversation: changing it later would confuse both sides (C7). */
  async function route(tx: Transaction, visitor: string, site: Site, situation: Situation = {}): Promise<void> {
    if (site.routes === undefined || site.routes.length === 0) return;
    const row = await routingOf(tx, visitor);
    if (row === undefined || row.campaign !== null) return;
    const claims = row.claims === null ? {} : (JSON.parse(row.claims) as Record<string, unknown>);
    await fixCampaign(tx, visitor, campaignFor(site.routes, site.campaign, { ...situation, claims }) ?? "");
  }

  /**
   * The visitor's reaction to a reply: durable in thread and outbox. The service knows no target, it takes the newest reply
   * for meant, and it knows no taking back (R-235): so only the newest reply can be reacted to, and taking back is ours.
   * @param emoji one emoji; empty: take back
   * @returns whether it was allowed
   */
  async function react(visitor: string, site: Site, id: string, emoji: string): Promise<boolean> {
    if (emoji !== "" && (emoji.length > EMOJI_MAX || !EMOJI.test(emoji))) return false;
    const at = clock.now();
    const done = await db.transaction(
      async (tx) => {
        const reply = await findMessage(tx, visitor, id);
        if (reply?.from !== "reply") return undefined;
        if (emoji === (reply.reaction ?? "")) return { n: undefined };
        if (emoji !== "" && (await newestReply(tx, visitor)) !== reply.pos) return undefined;
        const n = await setReaction(tx, visitor, reply.pos, emoji === "" ? null : emoji);
        if (n === undefined) return undefined;
        if (emoji !== "") await addParcel(tx, { ...parcel(visitor, site, n, reply.pos, at), ...reaction(emoji) });
        return { n };
      },
      [visitor],
    );
    if (done?.n !== undefined) announce(visitor, site, { n: done.n, first: false });
    return done !== undefined;
  }

  const reaction = (emoji: string) => ({ reaction: emoji, reaction_sid: newSid() });

  /**
   * Starts a failed message anew, at the end of the visitor's lane. A message that only ran out of time keeps its
   * `messageSid`: the service may have processed a try whose answer was lost.
   */
  async function retry(visitor: string, site: Site, id: string): Promise<Message | undefined> {
    const at = clock.now();
    const again = await db.transaction(
      async (tx) => {
        const message = await findMessage(tx, visitor, id);
        if (message?.from !== "visitor" || message.state !== "failed") return undefined;
        if (message.reason !== "expired") await renewSid(tx, visitor, message.pos, newSid());
        const n = await mark(tx, visitor, message.pos, "sent");
        if (n !== undefined)
          await addParcel(tx, parcel(visitor, site, n, message.pos, (await dueFor(tx, site, at)) ?? at + horizon));
        return n === undefined ? undefined : { n, message };
      },
      [visitor],
    );
    if (again === undefined) return undefined;
    announce(visitor, site, { n: again.n, first: false });
    return again.message;
  }

  const parcel = (visitor: string, site: Site, turn: number, pos: number, at: number) => ({
    visitor,
    turn,
    pos,
    account: site.account,
    attempts: 0,
    due: at,
    expires: at + horizon,
    reaction: null,
    reaction_sid: null,
  });

  /** Hands what was written to the visitor's connections and to the courier. */
  function announce(visitor: string, site: Site, { n, first, message, head }: News): void {
    bus.publish({ visitor, head: n, ...(message && { changes: [message] }) });
    wake({ visitor, account: site.account, first, head });
  }

  return {
    send,
    retry,
    react,
    /** Whether messages of a site wait for another day's budget. */
    isHeld: (site: string): boolean => (held.get(site) ?? 0) > clock.now(),
  };
}

export type Send = ReturnType<typeof createSend>;
