import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Spool } from "../db/spool.ts";
import type { Recharge } from "../service/recharge.ts";

/** An auto-recharge event as the spool keeps it. */
export type Spooled = { account: string; event: Recharge };

/** What became of an event. `conflict`: its key came before with other content. `lost`: it could be written nowhere. */
export type Recharged = "stored" | "duplicate" | "conflict" | "spooled" | "lost";

type Parts = {
  clock: Clock;
  log: Log;
  spool: Spool<Spooled>;
  /** Writes an event into the ledger; the same key again writes nothing. */
  take: (account: string, event: Recharge) => Promise<"stored" | "duplicate" | "conflict">;
};

/** The database has this long to take an event before it goes to the spool. */
const PATIENCE_MS = 1_000;
/** How often the spool tries to empty itself into the ledger. */
const REPLAY_MS = 2_000;

/**
 * Auto-recharge events: each one durable before it is acknowledged, like replies, because no second callback is promised.
 * Their order means nothing, and the ledger takes a key once, so what is spooled may come late and twice.
 */
export function createRecharges({ clock, log, spool, take }: Parts) {
  let replaying: Promise<void> | undefined;
  let cancelReplay = (): void => {};

  /** Resolves to what `work` does, or rejects when it takes too long. */
  function soon<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = clock.after(PATIENCE_MS, () => reject(new Error("The database is too slow")));
      work.then(resolve, reject).finally(cancel);
    });
  }

  function keep(spooled: Spooled, cause: unknown): "spooled" | "lost" {
    const about = { account: spooled.account, key: spooled.event.key, cause: String(cause) };
    try {
      spool.append(spooled);
    } catch (error) {
      log("credits.lost", { ...about, spool: String(error) });
      return "lost";
    }
    log("credits.spooled", about);
    replayLater();
    return "spooled";
  }

  function replayLater(): void {
    cancelReplay();
    cancelReplay = clock.after(REPLAY_MS, () => void replay());
  }

  function replay(): Promise<void> {
    replaying ??= spool
      .replay(async ({ account, event }) => void (await take(account, event)))
      .then((count) => log("credits.replayed", { count }))
      .catch((error: unknown) => {
        log("database.failing", { cause: String(error) });
        replayLater();
      })
      .finally(() => {
        replaying = undefined;
      });
    return replaying;
  }

  return {
    /** Takes an event. Resolves only when its key is durable, or when it is certain that it cannot be kept. */
    receive: (account: string, event: Recharge): Promise<Recharged> =>
      soon(take(account, event)).catch((error: unknown) => keep({ account, event }, error)),
    /** Takes over what an earlier life left in the spool. */
    start: async (): Promise<void> => {
      if (spool.waiting) await replay();
    },
    stop: async (): Promise<void> => {
      cancelReplay();
      await replaying;
    },
  };
}

export type Recharges = ReturnType<typeof createRecharges>;
