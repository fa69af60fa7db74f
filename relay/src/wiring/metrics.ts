import type { Message } from "@porchlight/shared/protocol";
import type { Clock } from "../base/clock.ts";
import { isProblem, LOG_EVENTS, type Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Bus, News } from "../bus/bus.ts";
import type { Gates } from "../service/gates.ts";

/** Most visitors for whom the time until the next reply is measured. With more, all are forgotten, and measuring starts again. */
const ASKED_MAX = 20_000;

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

/** A bus that counts what this process publishes: each change of a thread is published once here. */
export function countingBus<B extends Bus>(bus: B, metrics: Metrics, clock: Clock): B {
  /** When each visitor wrote their newest message, in milliseconds since 1970. */
  const asked = new Map<string, number>();

  function remember(visitor: string, at: number): void {
    // Finding the oldest visitor would cost up to 150 µs a message: V8 skips every deleted entry before it.
    if (asked.size >= ASKED_MAX) asked.clear();
    asked.set(visitor, at);
  }

  function count(visitor: string, change: Message): void {
    const isNew = change.n === change.pos;
    if (change.from === "reply") {
      if (!isNew) return;
      metrics.message("reply");
      const since = asked.get(visitor);
      if (since !== undefined) metrics.replied(Math.max(0, change.at - since) / 1_000);
      asked.delete(visitor);
    } else if (change.state === "delivered") {
      metrics.message("delivered");
      metrics.delivered(Math.max(0, clock.now() - change.at) / 1_000);
    } else if (isNew && change.state === "sent") {
      metrics.message("stored");
      remember(visitor, change.at);
    }
  }

  return {
    ...bus,
    publish(news: News) {
      for (const change of news.changes ?? []) count(news.visitor, change);
      bus.publish(news);
    },
  };
}

/** Gates that count the service's answers to all kinds of calls. */
export const countingGates = (gates: Gates, metrics: Metrics): Gates => ({
  ...gates,
  enter: (account, rank, go) =>
    gates.enter(account, rank, (turn) => {
      let counted = false;
      go({
        settle(outcome) {
          if (!counted && outcome.kind !== "unready") metrics.answer(outcome.status);
          counted = true;
          turn.settle(outcome);
        },
      });
    }),
});
