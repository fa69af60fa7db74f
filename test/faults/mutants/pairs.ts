import { PAIRS } from "../core/scenario.ts";
import { WITHOUT_FAILURES } from "../core/service.ts";
import type { Mutant } from "./mutant.ts";

const STILL = PAIRS["nodes that are paused while hints are lost"];
/** The service refuses most calls, and says how long to wait. */
const LIMITED = { ...STILL, behaviour: { ...WITHOUT_FAILURES, limit: 15 } };

/** Mistakes of two couriers that share an account, which the simulation finds (test/faults/core). */
export const PAIR_MUTANTS: readonly Mutant[] = [
  {
    name: "records an answer although another node sends for the account",
    edits: [{ in: "createLeases", find: "if ($lost !== undefined) throw new LeaseLost($$);", replace: "" }],
    killedBy: { given: STILL },
  },
  {
    name: "sends although its lease has ended",
    edits: [{ in: "createLeases", find: "(held.get($name)?.until ?? 0) > clock.uptime()", replace: "held.has($name)" }],
    killedBy: { given: STILL },
  },
  {
    name: "records a late answer although another node has concluded the message",
    edits: [{ in: "removeOutboxEntries", find: "$row !== undefined", replace: "true" }],
    killedBy: { given: STILL, seeds: 100 },
  },
  {
    name: "forgets an account's pace when another node takes over",
    edits: [{ in: "createPaces", find: "source.continuePace($$);", replace: "undefined;" }],
    killedBy: { given: LIMITED },
  },
  {
    name: "does not store the pace that it takes over with",
    edits: [{ in: "createPaces", find: "source.savePaceAgain($account);", replace: "undefined;" }],
    killedBy: { given: LIMITED, seeds: 200 },
  },
  {
    name: "forgets its own refusal when it continues with an earlier pace",
    edits: [{ in: "resumePace", find: "Math.max(pace.pausedUntil, pausedUntil)", replace: "pace.pausedUntil" }],
    killedBy: { given: LIMITED, seeds: 200 },
  },
  {
    name: "answers a spooled reply at once although another node may store the next one",
    edits: [{ in: "createReplies", find: "deps.isShared ? ANSWER_DELAY_MS : undefined", replace: "undefined" }],
    killedBy: { given: STILL, seeds: 200 },
  },
];
