/** The newest values of many, each once. */
export type Recent = {
  add: (value: string) => void;
  has: (value: string) => boolean;
  /** The same array until a value comes or goes. */
  all: () => readonly string[];
};

/** @param max values that are kept; the one that was added longest ago goes first */
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
