/** The stages of waiting for a reply. */

/**
 * Milliseconds of waiting after which the next part is shown: dots, a status for screen readers, a text, an offer, and a note that
 * no reply came.
 */
export const STAGES = [600, 3_000, 10_000, 30_000, 120_000] as const;

/** The last stage that was reached. 0: nothing is shown. */
export type WaitStage = 0 | (typeof STAGES)[number];
