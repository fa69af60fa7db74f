/** The result of a suite: its figures, and a line for each violation that begins with its kind. */
export type Report = { figures: Record<string, number | string>; violations: string[] };

/** Options that every suite takes. `root`: folder of the relay's sources; a mutant's run passes its own. */
export type Common = {
  root?: string | undefined;
  seed?: number;
  /** Reports the progress of a long run. */
  progress?: (words: string) => void;
};

/** The number of violations of these kinds: `lost`, `doubled`, `order`, `forged`… */
export const count = (violations: readonly string[], ...kinds: string[]): number =>
  violations.filter((line) => kinds.some((kind) => line.startsWith(`${kind}:`))).length;

/** The three figures of most reports. */
export const losses = (violations: readonly string[]) => ({
  lost: count(violations, "lost"),
  doubled: count(violations, "doubled"),
  disordered: count(violations, "order"),
});

/** Seconds since a `performance.now()`, rounded to a tenth. */
export const seconds = (since: number): number => Math.round((performance.now() - since) / 100) / 10;

/** A share of 1 as text: 0.123 is `12.3 %`. */
export const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;
