import type { ErrorFrame, Message, Rating } from "@porchlight/shared/protocol";

/** News of a visitor: the thread's newest number and the read mark. News is a hint: lost news only causes a delay. */
export type News = {
  visitor: string;
  head: number;
  /** The changes up to `head`, oldest first, without a gap. When absent, the receiver reads them from the log. */
  changes?: readonly Message[];
  read?: number;
  /** The visitor rated the conversation, or declined to. */
  rating?: Rating;
  /** The chat was deleted. */
  gone?: boolean;
  /** A session ended: its id, or `*` for all sessions of the visitor. */
  ended?: string;
  /** The service's late answer to a form. */
  error?: ErrorFrame;
};

/** Carries news of visitors to their connections. */
export interface Bus {
  /** True: no news can be lost, because all publishers and listeners are in this process. Absent: news may be lost. */
  readonly lossless?: true;
  /** Passes news to all listeners of the visitor. Never throws for lack of listeners. */
  publish(news: News): void;
  /** Calls `listener` with all news of the visitor. @returns a function that unsubscribes */
  subscribe(visitor: string, listener: (news: News) => void): () => void;
}

/** The bus of a single process. */
export function createBus(): Bus {
  const listenersByVisitor = new Map<string, Set<(news: News) => void>>();
  return {
    lossless: true,
    publish(news) {
      for (const listener of listenersByVisitor.get(news.visitor) ?? []) listener(news);
    },
    subscribe(visitor, listener) {
      const listeners = listenersByVisitor.get(visitor) ?? new Set();
      listenersByVisitor.set(visitor, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && listenersByVisitor.get(visitor) === listeners) listenersByVisitor.delete(visitor);
      };
    },
  };
}
