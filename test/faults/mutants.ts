import { CORE } from "./mutants/core.ts";
import { CREDITS } from "./mutants/credits.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { PAIR_MUTANTS } from "./mutants/pairs.ts";
import { PROCESS } from "./mutants/process.ts";
import { SAFETY } from "./mutants/safety.ts";
import { TRUST } from "./mutants/trust.ts";
import { UNIT } from "./mutants/unit.ts";

/**
 * The mutants that `npm run test:full` must find. Those that take minutes each are in `mutants/long.ts` (`npm run
 * soak`).
 */
export const MUTANTS: readonly Mutant[] = [
  ...CORE,
  ...PAIR_MUTANTS,
  ...PROCESS,
  ...CREDITS,
  ...UNIT,
  ...SAFETY,
  ...TRUST,
];

/** The mutants that `npm test` tries, some for each way of trying. Each is found within about a second. */
export const SAMPLE: readonly string[] = [
  "answers a callback before its commit",
  "resumes without checking the epoch",
  "treats a call without an answer as delivered",
  "records an answer although another node sends for the account",
  "has no limit on the size of a frame",
  "has no count of a body's bytes",
  "has no limit on unread bytes of a fallback connection",
  "has no budget of messages per address",
];

/** Mistakes that the tests must notice, each with the mutants that make it. */
export const REQUIRED: Record<string, readonly string[]> = {
  "ack-before-commit": ["acknowledges before the commit", "answers a callback before its commit"],
  "synchronous=NORMAL": ["commits without a flush to disk (synchronous=NORMAL)", "spools without a flush to disk"],
  "a fresh messageSid for each retry": [
    "uses a new messageSid for every attempt",
    "uses a new messageSid for a message that the client sends again",
    "uses a new messageSid for the retry of an expired message",
  ],
  "mark-sent-before-POST": ["marks as delivered before the POST"],
  "SELECT-then-INSERT dedupe": ["checks for a duplicate reply before it writes, without a unique index"],
  "no unique(visitor, clientMsgId)": ["does not recognize a repeated message by the client's id"],
  "resume without epoch": ["resumes without checking the epoch"],
  "pub/sub as the only delivery": ["relies on the bus alone to deliver"],
  "drain without spread": ["asks all visitors to reconnect at once when it stops"],
};
