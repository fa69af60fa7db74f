/** The result of one check. `cure` says how to correct a failure. */
export type Finding = { check: string; ok: boolean; found: string; cure?: string };
