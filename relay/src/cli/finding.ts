/** One look at one thing: `cure` says what to do when it is not well. */
export type Finding = { check: string; ok: boolean; found: string; cure?: string };

export const well = (check: string, found: string): Finding => ({ check, ok: true, found });
export const ill = (check: string, found: string, cure: string): Finding => ({ check, ok: false, found, cure });
