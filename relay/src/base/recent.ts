/** The values that were added last, each once. Adding a known value again does not make it newer. */
export type Recent = {
  add: (value: string) => void;
  has: (value: string) => boolean;
  /** The same array until the values change. */
  all: () => readonly string[];
};

/** Creates an empty list. @param max number of values; the oldest is dropped first */
export function createRecent(max: number): Recent {
  const values = new Set<string>();
  let listed: readonly string[] = [];
  return {
    add(value) {
      if (values.has(value)) return;
      values.add(value);
      const [oldest] = values;
      if (values.size > max && oldest !== undefined) values.delete(oldest);
      listed = [...values];
    },
    has: (value) => values.has(value),
    all: () => listed,
  };
}
