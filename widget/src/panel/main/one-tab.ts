/** Runs an action in only one of the open tabs: a sound, or a browser notification. */

/**
 * Milliseconds that a tab holds the lock of one message, so that the other tabs stay quiet. They may get the message later:
 * hidden tabs without a WebSocket poll, and browsers let the timers of hidden pages run only once a minute.
 */
const HOLD_MS = 120_000;

/** Runs in one tab only; in none if the browser cannot tell tabs apart. */
export function runInOneTab(name: string, run: () => void): void {
  try {
    void navigator.locks
      .request(name, { ifAvailable: true }, async (lock) => {
        if (!lock) return;
        run();
        await new Promise((done) => setTimeout(done, HOLD_MS));
      })
      // Without Web Locks, some browsers reject and others throw.
      .catch(() => {});
  } catch {
    // No Web Locks (plain http, blocked cookies): do nothing rather than act twice.
  }
}
