import { isFields } from "@porchlight/shared/json-fields";
import type { ErrorFrame, Rating } from "@porchlight/shared/protocol";
import type { Clock } from "../base/clock.ts";
import { createPoll } from "../base/poll.ts";
import type { Bus, News } from "./bus.ts";
import {
  createDeliveries,
  type Deliveries,
  type DeliveryReport,
  type DeliverySource,
  REPEAT_MS,
} from "./deliveries.ts";
import { createSpending, type Spending, type Spent } from "./spending.ts";

/** Transports texts between nodes; may lose any of them. */
export type NodeLink = {
  /** Sends a text to every other node. Never throws. */
  send: (text: string) => void;
  /** Calls `listener` with every text of every node, this one included. */
  onText: (listener: (text: string) => void) => void;
  close: () => Promise<void>;
};

/** A form that the service refused. `at`: milliseconds since 1970. */
type Refusal = { visitor: string; at: number; error: ErrorFrame };

/** A message was added to the outbox of an account by a node that does not hold the account's lease. */
export type LaneHint = { account: string; visitor: string; first: boolean };

/** News as it is sent to other nodes. `rated`: the visitor rated the conversation. */
type NewsHint = Omit<News, "changes" | "rating"> & { rated?: true };

/**
 * A hint between nodes. `nudges`: lanes that have a new message. `spent`: tokens that were taken from shared limits. `deliveries`:
 * which accounts are delayed. It never contains words of a visitor or a reply: the receiver reads them from the database.
 */
type Hint = {
  from: string;
  news?: NewsHint[];
  nudges?: LaneHint[];
  spent?: Spent[];
  deliveries?: DeliveryReport[];
};

/** What the bus of a cluster needs. */
export type ClusterBusOptions = {
  local: Bus;
  link: NodeLink;
  /** Name of this process. */
  node: string;
  clock: Clock;
  /** Newest number and read mark of these visitors' threads. Visitors without a thread are left out. */
  heads: (visitors: readonly string[]) => Promise<Map<string, { head: number; read: number }>>;
  /** Forms of some visitors that the service refused within the last seconds. `at`: when, milliseconds since 1970. */
  refusals: (isHere: (visitor: string) => boolean) => Promise<readonly Refusal[]>;
  /** The visitor's rating of the conversation, if there is one. */
  rating: (visitor: string) => Promise<Rating | undefined>;
  onError: (error: unknown) => void;
};

/** A bus whose news also reaches the visitors of other nodes, and the other hints between nodes. */
export type ClusterBus = Bus & {
  /** Makes a limit count across nodes (see `Spending`). */
  share: Spending["share"];
  /**
   * Tells visitors of every node whether the messages of an account are delivered, as reported by the node that holds its
   * lease.
   */
  shareDelivery: (source: DeliverySource) => Pick<Deliveries, "of" | "changed">;
  /** Tells the holder of an account's lease that a lane has a message to deliver. */
  hintLane: (hint: LaneHint) => void;
  /** Calls `listener` with the hints that other nodes sent with `hintLane`. */
  onLaneHint: (listener: (hint: LaneHint) => void) => void;
  /** Calls `listener` with every visitor whose chat another node deleted. */
  onGone: (listener: (visitor: string) => void) => void;
  /** Starts to look for lost hints in the database, every `REPEAT_MS`. */
  start: () => void;
  /** Sends the hints that wait, and closes the link. */
  stop: () => Promise<void>;
};

/** Visitors whose threads one statement checks: 1,000 rows hold up the event loop for about 2 ms, 50,000 for 100 ms. */
const SLICE = 1_000;
/** Hints are sent as soon as they reach this length, in UTF-16 units: PostgreSQL accepts fewer than 8,000 bytes. */
const HINT_MAX = 5_000;

/**
 * Least time (ms) between two texts of a busy node, because a text with ten hints costs sender and receiver about as much as a text
 * with one. It delays a hint by half of this time on average.
 */
const SPACING_MS = 1;

/**
 * Sends hints to the other nodes. Hints of one tick of the event loop are sent together. While a node is busy, all hints of
 * `SPACING_MS` are sent together.
 */
function createSender(link: NodeLink, node: string, clock: Clock) {
  let waiting: Required<Omit<Hint, "from" | "spent" | "deliveries">> = { news: [], nudges: [] };
  let size = 0;
  let sentAt = Number.NEGATIVE_INFINITY;

  function flush(): void {
    if (size === 0) return;
    sentAt = clock.uptime();
    const text = JSON.stringify({ from: node, ...waiting } satisfies Hint);
    [waiting, size] = [{ news: [], nudges: [] }, 0];
    link.send(text);
  }

  /** Adds the length of a hint that was appended, and sends all when they are long enough. */
  function addSize(hint: object): void {
    if (size === 0) {
      if (clock.uptime() - sentAt < SPACING_MS) clock.after(SPACING_MS, flush);
      else setImmediate(flush);
    }
    size += JSON.stringify(hint).length;
    if (size > HINT_MAX) flush();
  }

  return {
    flush,
    news(hint: NewsHint): void {
      waiting.news.push(hint);
      addSize(hint);
    },
    lane(hint: LaneHint): void {
      waiting.nudges.push(hint);
      addSize(hint);
    },
  };
}

const isNews = (value: unknown): boolean =>
  isFields(value) &&
  typeof value.visitor === "string" &&
  Number.isSafeInteger(value.head) &&
  (value.read === undefined || Number.isSafeInteger(value.read)) &&
  value.changes === undefined;
const isLaneHint = (value: unknown): boolean =>
  isFields(value) && typeof value.visitor === "string" && typeof value.account === "string";
const isSpent = (value: unknown): boolean =>
  Array.isArray(value) &&
  typeof value[0] === "string" &&
  typeof value[1] === "string" &&
  Number.isFinite(value[2]) &&
  value[2] >= 0;
const isDeliveryReport = (value: unknown): boolean =>
  Array.isArray(value) && typeof value[0] === "string" && (value[1] === "ok" || value[1] === "delayed");
const listOf = (value: unknown, fits: (one: unknown) => boolean): boolean =>
  value === undefined || (Array.isArray(value) && value.every(fits));

/**
 * Parses a hint; returns undefined for any other text. Other programs may use the same Redis or database, and their texts must
 * not end this process. A lost hint is harmless.
 */
function parseHint(text: string): Hint | undefined {
  try {
    const hint: unknown = JSON.parse(text);
    const fits =
      isFields(hint) &&
      typeof hint.from === "string" &&
      listOf(hint.news, isNews) &&
      listOf(hint.nudges, isLaneHint) &&
      listOf(hint.spent, isSpent) &&
      listOf(hint.deliveries, isDeliveryReport);
    return fits ? (hint as Hint) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Visitors who are connected to this node, with the newest number and read mark that they received. `refused`: the time of the
 * newest refusal of a form that `findNews` published.
 */
type Audience = Map<string, { listeners: number; head: number; read: number; refused: number }>;

/** Adds a listener for a visitor. @returns a function that removes it */
function addListener(here: Audience, visitor: string): () => void {
  const known = here.get(visitor) ?? { listeners: 0, head: 0, read: 0, refused: 0 };
  known.listeners++;
  here.set(visitor, known);
  return () => {
    if (--known.listeners === 0 && here.get(visitor) === known) here.delete(visitor);
  };
}

/** Records what a visitor's connections now receive. @returns whether the visitor is connected to this node */
function raiseKnown(here: Audience, { visitor, head, read = 0 }: News): boolean {
  const known = here.get(visitor);
  if (known === undefined) return false;
  known.head = Math.max(known.head, head);
  known.read = Math.max(known.read, read);
  return true;
}

/** Finds news whose hints were lost. */
async function findNews(
  here: Audience,
  { heads, refusals }: Pick<ClusterBusOptions, "heads" | "refusals">,
  publish: (news: News) => void,
): Promise<void> {
  const visitors = [...here.keys()];
  if (visitors.length === 0) return;
  for (let from = 0; from < visitors.length; from += SLICE)
    for (const [id, { head, read }] of await heads(visitors.slice(from, from + SLICE))) {
      const known = here.get(id);
      if (known !== undefined && (head > known.head || read > known.read)) publish({ visitor: id, head, read });
    }
  for (const { visitor, at, error } of await refusals((id) => here.has(id))) {
    const known = here.get(visitor);
    if (known === undefined || at <= known.refused) continue;
    known.refused = at;
    publish({ visitor, head: 0, error });
  }
}

/** Reads a visitor's rating and publishes it. */
function publishRating(
  { rating, onError }: Pick<ClusterBusOptions, "rating" | "onError">,
  visitor: string,
  publish: (news: News) => void,
): void {
  void rating(visitor).then((found) => found && publish({ visitor, head: 0, rating: found }), onError);
}

/** Subscribes at the local bus, and adds the visitor to those who are connected to this node. */
const subscribing =
  (local: Bus, here: Audience): Bus["subscribe"] =>
  (visitor, listener) => {
    const end = local.subscribe(visitor, listener);
    const removeListener = addListener(here, visitor);
    return () => {
      end();
      removeListener();
    };
  };

/** Creates the bus of one node of a cluster. It uses `options.link` to reach the other nodes. */
export function createClusterBus(options: ClusterBusOptions): ClusterBus {
  const { local, link, node, clock, onError } = options;
  const here: Audience = new Map();
  const laneHintListeners: ((hint: LaneHint) => void)[] = [];
  const goneListeners: ((visitor: string) => void)[] = [];
  const hints = createSender(link, node, clock);
  const broadcast = (hint: Omit<Hint, "from">): void => link.send(JSON.stringify({ from: node, ...hint }));
  const spending = createSpending({ clock, broadcast: (spent) => broadcast({ spent }) });

  let deliveries: Deliveries | undefined;

  link.onText((text) => {
    const hint = parseHint(text);
    if (hint === undefined || hint.from === node) return;
    const { news = [], nudges = [], spent = [], deliveries: reports = [] } = hint;
    spending.receive(spent);
    deliveries?.receive(reports);
    for (const { rated, ...one } of news) {
      publishLocally(one);
      if (rated && here.has(one.visitor)) publishRating(options, one.visitor, publishLocally);
    }
    for (const one of nudges) for (const listener of laneHintListeners) listener(one);
  });

  function publishLocally(news: News): void {
    if (news.gone) for (const listener of goneListeners) listener(news.visitor);
    if (raiseKnown(here, news)) local.publish(news);
  }

  const check = (): Promise<void> => {
    deliveries?.repeat();
    return findNews(here, options, publishLocally);
  };
  const checks = createPoll({ clock, every: REPEAT_MS, run: check, onError });

  return {
    publish(news) {
      local.publish(news);
      raiseKnown(here, news);
      const { changes: _, rating, ...hint } = news;
      hints.news(rating === undefined ? hint : { ...hint, rated: true });
    },
    subscribe: subscribing(local, here),
    share: spending.share,
    shareDelivery(source) {
      deliveries = createDeliveries(source, { clock, broadcast: (reports) => broadcast({ deliveries: reports }) });
      return deliveries;
    },
    hintLane: hints.lane,
    onLaneHint: (listener) => void laneHintListeners.push(listener),
    onGone: (listener) => void goneListeners.push(listener),
    start: checks.start,
    async stop() {
      await checks.stop();
      hints.flush();
      await link.close();
    },
  };
}
