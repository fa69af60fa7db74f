/** What every tab could do, and only one shall: sound, and messages beside the browser. */

/** Milliseconds that a tab keeps the right to one message, so that the others stay quiet. */
const HOLD_MS = 2_000;

/** Runs in one tab only, where the browser can tell tabs apart. */
export function once(name: string, run: () => void): void {
  try {
    void navigator.locks
      .request(name, { ifAvailable: true }, async (lock) => {
        if (!lock) return;
        run();
        await new Promise((done) => setTimeout(done, HOLD_MS));
      })
      // As below: some browsers reject where others throw.
      .catch(() => {});
  } catch {
    // No locks here (plain http, blocked cookies): better quiet than twice.
  }
}
