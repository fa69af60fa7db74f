import type { Scenario } from "../core/scenario.ts";
import { SPECIAL } from "../core/scenario.ts";
import { WITHOUT_FAILURES } from "../core/service.ts";
import type { Mutant } from "./mutant.ts";
import type { Edit } from "./place.ts";

const behaviour = (changes: Partial<typeof WITHOUT_FAILURES>): Partial<Scenario> => ({
  behaviour: { ...WITHOUT_FAILURES, ...changes },
});

/** The courier treats one kind of outcome as another. */
const confuse = (kind: string, as: string): Edit => ({
  find: "await handle($$message, $outcome);",
  replace: `await handle($$message, $outcome.kind === "${kind}" ? { ...$outcome, kind: "${as}" } : $outcome);`,
});

/** Mistakes in the relay's core, which the simulation finds (test/faults/core). */
export const CORE: Mutant[] = [
  {
    name: "answers a callback before its commit",
    edits: [
      {
        find: "await inTime(state, attempt).catch($failed)",
        replace: `(void attempt.catch(() => {}), "stored" as Stored)`,
      },
    ],
    killedBy: { given: { ...behaviour({ replies: 3 }), crashes: 6, failureMs: 10_000 }, seeds: 60 },
  },
  {
    name: "uses a new messageSid for every attempt",
    edits: [{ text: "COALESCE(o.reaction_sid, m.sid) AS sid", replace: "lower(hex(randomblob(12))) AS sid" }],
    killedBy: { given: behaviour({ lostAnswer: 0.4 }) },
  },
  {
    name: "uses a new messageSid for a message that the client sends again",
    edits: [{ find: "sidOf($$)", replace: "newSid()" }],
    killedBy: { given: SPECIAL["a restored backup"], seeds: 300 },
  },
  {
    name: "uses a new messageSid for the retry of an expired message",
    edits: [
      {
        find: `if ($message.reason !== "expired") await renewSid($$message);`,
        replace: "await renewSid($$message);",
      },
    ],
    killedBy: { given: { ...SPECIAL["outage of 13 hours"], ...behaviour({ lostAnswer: 0.9 }) }, seeds: 20 },
  },
  {
    name: "marks as delivered before the POST",
    edits: [
      {
        find: "const $outcome = await deliver($head); $permit.settle($outcome); await handle(courier, $lane, $head, $outcome);",
        replace: `await conclude(courier, $head, "delivered"); $permit.settle(await deliver($head));
          queueNext(courier, $lane, true, onPermitOf(courier));`,
      },
    ],
    killedBy: { given: behaviour({ failing: 0.4 }) },
  },
  {
    name: "removes a message from the outbox and marks it delivered in two commits",
    edits: [
      {
        find: "const $waited = await removeOutboxEntries($tx, $entries);",
        replace: "const $waited = $entries.map(() => true);",
      },
      {
        find: "await $db.append(writeConclusion, $item, $key, true)",
        replace:
          "await $db.transaction((tx) => removeOutboxEntries(tx, [$item.entry])).then(() => $db.append(writeConclusion, $item, $key))",
      },
    ],
    killedBy: { given: { crashes: 6, failureMs: 10_000, visitors: 4, messages: 12 }, seeds: 60 },
  },
  {
    name: "writes thread and outbox in two commits",
    edits: [
      { find: "await addOutboxEntries($tx, $entries);", replace: "" },
      {
        in: "sendDraft",
        find: "if ($fresh) announce(state, $visitor, $site, $news);",
        replace: `if ($fresh) {
          await db.transaction((tx) => addOutboxEntry(tx, newEntry(state, $visitor, $site, message.pos, message.pos, at)));
          announce(state, $visitor, $site, $news);
        }`,
      },
    ],
    killedBy: { given: { crashes: 6, failureMs: 10_000, visitors: 4, messages: 12 }, seeds: 60 },
  },
  {
    name: "does not recognize a repeated message by the client's id",
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
    killedBy: { given: { replays: 1, tabs: 3 } },
  },
  {
    name: "resumes without checking the epoch",
    edits: [{ find: "$hello.epoch === epoch && $same", replace: "$same" }],
    killedBy: { given: SPECIAL["a restored backup"], seeds: 300 },
  },
  {
    name: "fills only part of a long gap",
    edits: [
      {
        find: "if ($known && $head - $since <= GAP_MAX) return { after: $since, $$rest };",
        replace: "if ($known) return { after: Math.max($since, $head - PAGE), $$rest };",
      },
    ],
    killedBy: { given: SPECIAL["a thousand replies while away"], seeds: 5 },
  },
  {
    name: "relies on the bus alone to deliver",
    edits: [
      { in: "sendNewsAndPong", find: "handleNews($$);", replace: "" },
      {
        in: "sendNewsAndPong",
        find: "sendPong(registry, live, head, pings)",
        replace: "sendPong(registry, live, live.sent, pings)",
      },
    ],
    killedBy: { given: { hintLoss: 0.5 } },
  },
  {
    name: "refuses a reply that the database cannot store, instead of spooling it",
    edits: [
      { in: "durable-intake.spoolEntry", find: "spool.append($entry);", replace: `throw new Error("no spool");` },
    ],
    killedBy: { given: { diskFull: true, spoolFull: false, ...behaviour({ replies: 3 }), failureMs: 30_000 } },
  },
  {
    name: "lets new replies overtake those in the spool",
    edits: [
      {
        find: "if (mustWait(state, entry) && $rested) await inTime(state, $stored).catch($failed);",
        replace: "",
      },
      { find: "const waiting = mustWait(state, entry);", replace: "const waiting = false;" },
    ],
    killedBy: {
      given: { diskFull: true, spoolFull: false, ...behaviour({ replies: 3 }), failureMs: 60_000, messages: 12 },
      seeds: 250,
    },
  },
  {
    name: "never gives up a message",
    edits: [
      { find: "$head.expires <= clock.now()", replace: "false" },
      { find: "expiredEntries(db, clock.now(), $page)", replace: "expiredEntries(db, 0, $page)" },
    ],
    killedBy: { given: SPECIAL["outage of 13 hours"], seeds: 10 },
  },
  {
    name: "sends two messages of a visitor at once",
    edits: [
      {
        find: "if ($lane !== undefined) $lane.again = true; else $wake;",
        replace: `if ($lane !== undefined && $lane.state !== "inFlight") $lane.again = true; else $wake`,
      },
    ],
    killedBy: { given: { messages: 12, failureMs: 5_000 } },
  },
  {
    name: "treats a refused key as a refused message",
    edits: [confuse("config", "permanent")],
    killedBy: { given: { rotations: 1, messages: 8 } },
  },
  {
    name: "drops a message that the service throttles",
    edits: [confuse("throttle", "ok")],
    killedBy: { given: { ...behaviour({ limit: 10 }), messages: 12, visitors: 4, failureMs: 20_000 } },
  },
  {
    name: "retries a refused message forever",
    edits: [confuse("permanent", "transient")],
    killedBy: { given: { poison: 0.5, messages: 6 }, seeds: 10 },
  },
  {
    name: "treats a call without an answer as delivered",
    edits: [confuse("unknown", "ok")],
    killedBy: { given: behaviour({ lostCall: 0.4 }) },
  },
  {
    name: "gives up a message after a call without an answer",
    edits: [confuse("unknown", "permanent")],
    killedBy: { given: behaviour({ lostAnswer: 0.4 }) },
  },
  {
    name: "forgets undelivered messages after a crash",
    edits: [
      { in: "queueOpenLanes", find: "queueOpenLane(courier, $lane, onPermit)", replace: "lane !== page[0] && $0" },
    ],
    killedBy: { given: { crashes: 4, ...behaviour({ down: 0.6 }) } },
  },
  {
    name: "recreates a deleted visitor",
    edits: [{ text: "WHERE NOT EXISTS (SELECT 1 FROM forgotten WHERE visitor = $1) ON", replace: "WHERE $1 = $1 ON" }],
    killedBy: { given: { forgets: 2, tabs: 3, messages: 12, failureMs: 5_000, hintLoss: 0.5 }, seeds: 100 },
  },
  {
    name: "leaves gaps in the numbers",
    edits: [
      {
        in: "createNumbers",
        find: "taken.set($visitor, ++$thread.head);",
        replace: "taken.set($visitor, ++$thread.head + 1);",
      },
    ],
    killedBy: { given: {} },
  },
  {
    name: "changes a message without a new number",
    edits: [
      {
        text: "SET state = $3, reason = $4, n = $5, settled",
        replace: "SET state = $3, reason = $4, n = n + 0 * $5, settled",
      },
    ],
    killedBy: { given: {} },
  },
  {
    name: "answers 200 for a reply that it did not store",
    edits: [{ in: "durable-intake.spoolEntry", find: "spool.append($entry);", replace: "" }],
    killedBy: { given: { diskFull: true, spoolFull: false, ...behaviour({ replies: 3 }), failureMs: 30_000 } },
  },
  {
    name: "empties the spool before the database has stored its replies",
    edits: [
      { find: "count += $n; rmSync($taking);", replace: "count += $n;" },
      { find: "const $entries = entriesOf($taking);", replace: "$0 rmSync(taking);" },
    ],
    killedBy: {
      given: { diskFull: true, spoolFull: false, crashes: 6, ...behaviour({ replies: 3 }), failureMs: 30_000 },
    },
  },
  {
    name: "ignores the spool of an earlier process",
    edits: [{ in: "openSpool.waiting", find: "existsSync(file) || existsSync(taking)", replace: "false" }],
    killedBy: {
      given: { diskFull: true, spoolFull: false, crashes: 6, ...behaviour({ replies: 3 }), failureMs: 30_000 },
    },
  },
];
