import { handOver, handOverDuringBackup } from "../suites/hand-over.ts";
import { nodes } from "../suites/nodes.ts";
import { nodesShared } from "../suites/nodes-shared.ts";
import { pausedNodes } from "../suites/paused-nodes.ts";
import { rollingRestart } from "../suites/rolling-restart.ts";
import type { Common, Report } from "../suites/suite.ts";
import type { Mutant } from "./mutant.ts";

/** The sending node is stopped for a few seconds longer than a lease. */
const pausedSender = (options: Common): Promise<Report> =>
  nodes({
    ...options,
    fault: "the node that sends is paused past its lease",
    visitors: 20,
    messages: 400,
    perSecond: 50,
  });
/** Each visitor writes every five seconds, so the next message comes too late to replace a lost hint. */
const withoutHints = (options: Common): Promise<Report> =>
  nodes({ ...options, fault: "Redis is killed", visitors: 100, messages: 300, perSecond: 20 });

/** Connections to PostgreSQL are cut at some of the COMMITs. */
const cuts = (options: Common): Promise<Report> =>
  nodes({
    ...options,
    fault: "connections to PostgreSQL are cut before or after a COMMIT",
    visitors: 20,
    messages: 240,
    perSecond: 60,
    latest: Number.POSITIVE_INFINITY,
  });
/** Every connection of the node that sends and takes callbacks is busy for 5 s. */
const busy = (options: Common): Promise<Report> =>
  nodes({
    ...options,
    fault: "every connection to PostgreSQL is busy",
    visitors: 20,
    messages: 120,
    perSecond: 60,
    latest: Number.POSITIVE_INFINITY,
  });
const threeNodes = (options: Common): Promise<Report> =>
  pausedNodes({ ...options, stops: 3, visitors: 12, perSecond: 30 });

const restarts = (options: Common): Promise<Report> =>
  rollingRestart({ ...options, visitors: 12, perSecond: 10, timed: false });

/** Mistakes that have an effect only with several nodes. */
export const NODES: readonly Mutant[] = [
  {
    name: "records a delivery although another node sends for the account",
    edits: [{ in: "createLeases", find: "if ($lost !== undefined) throw new LeaseLost($$);", replace: "" }],
    killedBy: { suite: pausedSender },
  },
  {
    name: "sends for every account on every node",
    edits: [
      { in: "createLeases", find: "(held.get($name)?.until ?? 0) > clock.uptime()", replace: "true" },
      { in: "createLeases", find: "if ($lost !== undefined) throw new LeaseLost($$);", replace: "" },
    ],
    killedBy: { suite: pausedSender },
  },
  {
    name: "sends for every account on every one of three nodes",
    edits: [
      { in: "createLeases", find: "(held.get($name)?.until ?? 0) > clock.uptime()", replace: "true" },
      { in: "createLeases", find: "if ($lost !== undefined) throw new LeaseLost($$);", replace: "" },
    ],
    killedBy: { suite: threeNodes },
  },
  {
    name: "takes a COMMIT without an answer for a commit",
    edits: [
      {
        find: `await query("COMMIT", [])`,
        replace: `await query("COMMIT", []).catch(() => ({ command: "COMMIT" }))`,
      },
      { in: "attempt", find: "if ($failure !== undefined) throw $failure.error;", replace: "" },
    ],
    killedBy: { suite: cuts },
  },
  {
    name: "stores a message again after a COMMIT without an answer",
    edits: [
      {
        text: "CREATE UNIQUE INDEX messages_id ON messages (visitor, id) WHERE",
        replace: "CREATE INDEX messages_id ON messages (visitor, id) WHERE",
      },
      {
        in: "appendSent",
        find: "$known === undefined ? numbers.next($visitor, $at) : undefined",
        replace: "numbers.next($visitor, $at)",
      },
      { in: "appendSent", find: "$known === undefined ? undefined : await findSent($$)", replace: "undefined" },
    ],
    killedBy: { suite: cuts },
  },
  {
    name: "refuses a callback that PostgreSQL does not take within a second",
    edits: [{ in: "take", find: "spoolEntry(state, entry, $cause)", replace: '"lost"' }],
    killedBy: { suite: busy },
  },
  {
    name: "keeps the leases until the last connection has ended",
    edits: [
      { find: "$calls.then(core.cluster.leaveAccounts)", replace: "$calls.then(() => {})" },
      { find: "Promise.all([server.close(), leave(groups, accounts)])", replace: "server.close()" },
    ],
    killedBy: { suite: handOver },
  },
  {
    name: "keeps the accounts' leases until the backup has ended",
    edits: [{ find: "$calls.then(core.cluster.leaveAccounts)", replace: "$calls.then(() => {})" }],
    killedBy: { suite: handOverDuringBackup },
  },
  {
    name: "signs sessions with a key of each node's own",
    edits: [{ in: "openCore", find: "await shareSecrets(db, () => own)", replace: "own" }],
    killedBy: { suite: restarts },
  },
  {
    name: "relies on hints alone to learn what other nodes stored",
    edits: [
      { in: "findNews", find: "if (visitors.length === 0) return;", replace: "return;" },
      { in: "joinNodes", find: "polls.start();", replace: "" },
    ],
    killedBy: { suite: withoutHints },
  },
  {
    name: "makes the calls of leads and of the ledger on every node",
    edits: [
      { in: "worksFor", find: "cluster === undefined || cluster.leases.holds(accountLease(account))", replace: "true" },
      { in: "assertWorksFor", find: "cluster?.leases.assertHeld(tx, [accountLease(account)])", replace: "undefined" },
    ],
    killedBy: { suite: nodesShared },
  },
  {
    name: "counts limits on each node alone",
    edits: [{ in: "record", find: "clock.after(REPORT_MS, report)", replace: "undefined" }],
    killedBy: { suite: nodesShared },
  },
  {
    name: "does not tell other nodes that a chat was deleted",
    edits: [
      {
        in: "publish",
        find: "const { changes: _, rating, ...hint } = news;",
        replace: "const { changes: _, rating, gone: __, ...hint } = news;",
      },
    ],
    killedBy: { suite: nodesShared },
  },
  {
    name: "does not warn that files are local",
    edits: [{ in: "onOthers", replace: "{}" }],
    killedBy: { suite: nodesShared },
  },
];
