import { CORE } from "./mutants/core.ts";
import { CREDITS } from "./mutants/credits.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { PROCESS } from "./mutants/process.ts";
import { SAFETY } from "./mutants/safety.ts";
import { TRUST } from "./mutants/trust.ts";
import { UNIT } from "./mutants/unit.ts";

/** Mistakes that `npm run test:full` must notice. Those that take minutes each stand in `mutants-long.ts` (`npm run soak`). */
export const MUTANTS: readonly Mutant[] = [...CORE, ...PROCESS, ...CREDITS, ...UNIT, ...SAFETY, ...TRUST];

/** The mistakes that `npm test` makes: each is noticed within about a second. */
export const SAMPLE: readonly string[] = [
  "answers a callback before its commit",
  "takes a fresh messageSid for every try",
  "marks as delivered before the POST",
  "writes thread and outbox in two commits",
  "resumes without asking for the epoch",
  "says 200 for a reply that it wrote nowhere",
  "delivers by the bus alone",
  "takes a call without an answer for delivered",
];

/** The list "Teeth" of RELIABILITY.md, as far as it is about messages: what each entry is called here. */
export const TEETH: Record<string, readonly string[]> = {
  "ack-before-commit": ["acknowledges before the commit", "answers a callback before its commit"],
  "synchronous=NORMAL": ["commits without a flush to disk (synchronous=NORMAL)", "spools without a flush to disk"],
  "fresh messageSid a retry": [
    "takes a fresh messageSid for every try",
    "takes a fresh messageSid for a message that comes again",
    "takes a fresh messageSid when an expired message is tried again",
  ],
  "mark-sent-before-POST": ["marks as delivered before the POST"],
  "SELECT-then-INSERT dedupe": ["looks for a reply before it writes it, without a unique index"],
  "no unique(visitor, clientMsgId)": ["does not know a message by the client's id"],
  "resume without epoch": ["resumes without asking for the epoch"],
  "pub/sub as the only delivery": ["delivers by the bus alone"],
  "drain without spread": ["says goodbye to everybody at once"],
};
