/** What a suite hands back: its figures, and everything that was wrong, one line each, beginning with its kind. */
export type Report = { figures: Record<string, number | string>; violations: string[] };

/** Options that every suite takes. A mutant's run gives the folder of its changed sources. */
export type Common = {
  root?: string | undefined;
  seed?: number;
  /** Hears how far a long run is. */
  tell?: (words: string) => void;
};

/** How many violations are of a kind: `lost`, `doubled`, `order`, `forged`… */
export const count = (violations: readonly string[], ...kinds: string[]): number =>
  violations.filter((line) => kinds.some((kind) => line.startsWith(`${kind}:`))).length;

export const seconds = (since: number): number => Math.round((performance.now() - since) / 100) / 10;
