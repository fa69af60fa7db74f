/** At least this many replies are remembered. Twice as many, the most, take up to 3 MB. */
const REPLIES_MIN = 10_000;

/** When replies were first sent to a tab of their visitor. */
export type Pushes = {
  /** Remembers a push, unless an earlier one of this reply is remembered. @param at milliseconds since 1970 */
  add: (visitor: string, pos: number, at: number) => void;
  /** The first push of the reply at this place of the thread, in ms since 1970; undefined when none is remembered. */
  at: (visitor: string, pos: number) => number | undefined;
};

/**
 * The pushes of this node since its start. They are not stored: a write for each push would cost as much as the reply's own.
 * @param min at least this many replies are remembered, and at most twice as many; the oldest are forgotten first
 */
export function createPushes(min = REPLIES_MIN): Pushes {
  // Two generations, because finding the oldest entry of one map takes several microseconds: V8 skips every deleted entry.
  let older = new Map<string, number>();
  let newer = new Map<string, number>();
  const find = (key: string): number | undefined => newer.get(key) ?? older.get(key);
  return {
    add(visitor, pos, at) {
      const key = `${visitor} ${pos}`;
      if (find(key) !== undefined) return;
      if (newer.size >= min) [older, newer] = [newer, new Map()];
      newer.set(key, at);
    },
    at: (visitor, pos) => find(`${visitor} ${pos}`),
  };
}
