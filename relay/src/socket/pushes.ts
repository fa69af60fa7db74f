/** Replies that are remembered, about 1.5 MB. The oldest is forgotten first. */
const REPLIES_MAX = 10_000;

/** When replies were first sent to a tab of their visitor. */
export type Pushes = {
  /** Remembers a push, unless an earlier one of this reply is remembered. @param at milliseconds since 1970 */
  add: (visitor: string, pos: number, at: number) => void;
  /** The first push of the reply at this place of the thread; nothing when none is remembered. */
  at: (visitor: string, pos: number) => number | undefined;
};

/**
 * The pushes of this node since its start. They are not stored: a write for each push would cost as much as the reply's own.
 * @param max replies that are remembered
 */
export function createPushes(max = REPLIES_MAX): Pushes {
  const times = new Map<string, number>();
  return {
    add(visitor, pos, at) {
      const key = `${visitor} ${pos}`;
      if (times.has(key)) return;
      times.set(key, at);
      const [oldest] = times.keys();
      if (times.size > max && oldest !== undefined) times.delete(oldest);
    },
    at: (visitor, pos) => times.get(`${visitor} ${pos}`),
  };
}
