import type { Message } from "@porchlight/shared/protocol";
import type { Clock } from "../base/clock.ts";
import { isProblem, LOG_EVENTS, type Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Bus, News } from "../bus/bus.ts";
import type { Gates } from "../service/gates.ts";

/** Most visitors whose newest question is kept in memory. With more, all are forgotten, and the threads are read instead. */
const KNOWN_MAX = 20_000;
/** Questions that are not in memory are read together, this long (ms) after the first reply. */
const READ_MS = 100;

/**
 * A log that counts warnings and errors. Each series begins at 0: Prometheus does not see the increase of a series that begins
 * at 1, so an alert would miss the first event.
 */
export function countingLog(log: Log, metrics: Metrics): Log {
  for (const event of LOG_EVENTS.filter(isProblem)) metrics.problem(event, 0);
  return (event, details) => {
    if (isProblem(event)) metrics.problem(event);
    if (event === "delivery.failed") metrics.message("failed");
    log(event, details);
  };
}

type Reply = { visitor: string; pos: number; at: number };

/**
 * What this process knows of a thread: the newest number that it published, and when the newest question without a reply was
 * written, in milliseconds since 1970; 0: there is none.
 */
type Known = { head: number; asked: number };

/** Finds the questions before replies, see `questionsBefore`. */
type ReadQuestions = (replies: readonly Reply[]) => Promise<(number | undefined)[]>;

/** Measures the time from the newest question to its first reply. */
function createReplyTimes(metrics: Metrics, clock: Clock, isAlone: boolean, read: ReadQuestions) {
  const threads = new Map<string, Known>();
  let unread: Reply[] = [];

  const measure = (asked: number, at: number): void => metrics.replied(Math.max(0, at - asked) / 1_000);

  /** Reads the questions of the collected replies. Without an answer of the database they are not measured. */
  async function readAll(): Promise<void> {
    const replies = unread;
    unread = [];
    const asked = await read(replies).catch(() => []);
    for (const [n, { at }] of replies.entries()) {
      const question = asked[n];
      if (question !== undefined) measure(question, at);
    }
  }

  function readLater(reply: Reply): void {
    if (unread.push(reply) === 1) clock.after(READ_MS, () => void readAll());
  }

  function keep(visitor: string, known: Known): void {
    // Finding the oldest visitor would cost up to 150 µs a message: V8 skips every deleted entry before it.
    if (threads.size >= KNOWN_MAX && !threads.has(visitor)) threads.clear();
    threads.set(visitor, known);
  }

  return function note({ visitor, head, changes = [] }: News): void {
    const known = threads.get(visitor);
    // With several nodes, numbers that were not published here may be a question or a reply.
    const isWhole = known !== undefined && (isAlone || head - changes.length <= known.head);
    let asked = isWhole ? known.asked : undefined;
    for (const { from, pos, n, at } of changes) {
      if (n !== pos) continue;
      if (from === "visitor") asked = at;
      else if (asked === undefined) readLater({ visitor, pos, at });
      else if (asked > 0) measure(asked, at);
      if (from === "reply") asked = 0;
    }
    if (asked === undefined) threads.delete(visitor);
    else keep(visitor, { head: Math.max(head, known?.head ?? 0), asked });
  };
}

/** Counts a change of a thread. */
function count(metrics: Metrics, clock: Clock, change: Message): void {
  const isNew = change.n === change.pos;
  if (change.from === "reply") {
    if (isNew) metrics.message("reply");
  } else if (change.state === "delivered") {
    metrics.message("delivered");
    metrics.delivered(Math.max(0, clock.now() - change.at) / 1_000);
  } else if (isNew && change.state === "sent") metrics.message("stored");
}

/**
 * A bus that counts what this process publishes: each change of a thread is published once here.
 * @param read used when another process, or this one before a restart, may have published the question
 */
export function countingBus<B extends Bus>(bus: B, metrics: Metrics, clock: Clock, read: ReadQuestions): B {
  const note = createReplyTimes(metrics, clock, bus.lossless === true, read);
  return {
    ...bus,
    publish(news: News) {
      for (const change of news.changes ?? []) count(metrics, clock, change);
      note(news);
      bus.publish(news);
    },
  };
}

/** Gates that count the service's answers to all kinds of calls. */
export const countingGates = (gates: Gates, metrics: Metrics): Gates => ({
  ...gates,
  enter: (account, rank, go) =>
    gates.enter(account, rank, (permit) => {
      let counted = false;
      go({
        settle(outcome) {
          if (!counted && outcome.kind !== "unready") metrics.answer(outcome.status);
          counted = true;
          permit.settle(outcome);
        },
      });
    }),
});
