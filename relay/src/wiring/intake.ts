import { sendersBehind } from "../base/address.ts";
import { netMatcher } from "../base/nets.ts";
import { takeLock } from "../db/lock.ts";
import { openSpool } from "../db/spool.ts";
import { createCallbackFields } from "../flows/callback-fields.ts";
import { createRecharges, type SpooledRecharge } from "../flows/intake/recharges.ts";
import { createReplies, type Reply } from "../flows/intake/replies.ts";
import { createForward } from "../hooks/forward.ts";
import { type CallbackAddress, callbackHandler } from "../http/callbacks.ts";
import { createGuesses } from "../http/guesses.ts";
import type { Core } from "./core.ts";
import { relayLock } from "./data-lock.ts";
import type { FileStorage } from "./files.ts";
import type { OwnerFlows } from "./owner.ts";

/** Callbacks of the service: replies and recharges, each durable before it is acknowledged. */
export function createCallbackIntake(core: Core, { uploads }: FileStorage, owner: OwnerFlows) {
  const { settings, db, bus, clock, log, sites, signing, intakeTimeout: timeout } = core;
  const replies = createReplies({
    db,
    bus,
    clock,
    log,
    timeout,
    sites,
    signing,
    isShared: db.dialect === "postgres",
    spool: openSpool<Reply>(settings.dataDir, "replies"),
    storeEvent: owner.storeEvent,
    keepFile: uploads.takeFromReply,
  });
  const recharges = createRecharges({
    clock,
    log,
    timeout,
    spool: openSpool<SpooledRecharge>(settings.dataDir, "recharges"),
    take: owner.credits.recharge,
  });
  const forward = settings.forwardCallbacks === undefined ? undefined : createForward(settings.forwardCallbacks);
  const address = callbackAddress(core);
  const seen = createCallbackFields({ db, clock, log });
  const handleCallback = callbackHandler({
    seen,
    ...address,
    clock,
    receive: replies,
    recharges,
    creditAccounts: owner.creditAccounts,
    unknownContact: settings.unknownContact,
    forward: forward?.post,
    hide: core.hide,
  });
  return {
    address,
    handleCallback,
    /** Stores the entries that an earlier process left in the spools. */
    async start(): Promise<void> {
      await replies.start();
      await recharges.start();
    },
    /** Stores the entries in the spools of another node's data folder. */
    replaySpools: (folder: string): Promise<ReplayedCounts> => replaySpools(folder, replies, recharges),
    async stop(): Promise<void> {
      await replies.stop();
      await recharges.stop();
      await forward?.close();
    },
  };
}

/** Number of entries that were stored from each spool. */
type ReplayedCounts = { replies: number; recharges: number };

/**
 * Stores the spools in the data folder of a node that does not come back.
 * @throws Error when a relay uses the folder, or when the database accepts no writes
 */
async function replaySpools(
  folder: string,
  replies: ReturnType<typeof createReplies>,
  recharges: ReturnType<typeof createRecharges>,
): Promise<ReplayedCounts> {
  const lock = takeLock(relayLock(folder), `The folder ${folder}`, "");
  try {
    return {
      replies: await replies.replaySpool(openSpool<Reply>(folder, "replies")),
      recharges: await recharges.replaySpool(openSpool<SpooledRecharge>(folder, "recharges")),
    };
  } finally {
    lock.release();
  }
}

/** The allowed senders of callbacks, and the callback addresses. */
function callbackAddress({ settings, clock, log, callbackSecrets }: Core): CallbackAddress {
  const { callbackAllow, trustProxy } = settings;
  const allowed = callbackAllow.length === 0 ? () => true : netMatcher(callbackAllow);
  return {
    secrets: () => callbackSecrets,
    from: { address: sendersBehind(trustProxy).addressOf, allowed },
    guesses: createGuesses(clock),
    log,
  };
}

export type CallbackIntake = ReturnType<typeof createCallbackIntake>;
