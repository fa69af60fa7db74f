import type { Scenario } from "../core/scenario.ts";
import { SPECIAL } from "../core/scenario.ts";
import { FAIR } from "../core/service.ts";
import type { Mutant } from "./mutant.ts";

const weather = (changes: Partial<typeof FAIR>): Partial<Scenario> => ({ weather: { ...FAIR, ...changes } });

/** Mistakes in the relay's core, which the simulated world shows (test/faults/core). */
export const CORE: Mutant[] = [
  {
    name: "answers a callback before its commit",
    edits: [
      {
        file: "flows/receive.ts",
        find: "    const written = waiting ? undefined : await soon(write(reply)).catch((error: unknown) => ({ error }));",
        replace: `    if (!waiting) {\n      void write(reply).catch(() => {});\n      return "stored";\n    }\n    const written = undefined;`,
      },
    ],
    killedBy: { given: { ...weather({ replies: 3 }), crashes: 6, trouble: 10_000 }, seeds: 60 },
  },
  {
    name: "takes a fresh messageSid for every try",
    edits: [
      {
        file: "records/outbox.ts",
        find: "COALESCE(o.reaction_sid, m.sid) AS sid",
        replace: "lower(hex(randomblob(12))) AS sid",
      },
    ],
    killedBy: { given: weather({ lostAnswer: 0.4 }) },
  },
  {
    name: "takes a fresh messageSid for a message that comes again",
    edits: [{ file: "flows/send.ts", find: "sid: sidOf(visitor, draft.id)", replace: "sid: newSid()" }],
    killedBy: { given: SPECIAL["a restored backup"], seeds: 300 },
  },
  {
    name: "takes a fresh messageSid when an expired message is tried again",
    edits: [
      { file: "flows/send.ts", find: `if (message.reason !== "expired") await renewSid`, replace: "await renewSid" },
    ],
    killedBy: { given: { ...SPECIAL["outage of 13 hours"], ...weather({ lostAnswer: 0.9 }) }, seeds: 20 },
  },
  {
    name: "marks as delivered before the POST",
    edits: [
      {
        file: "flows/courier.ts",
        find: "        const outcome = await carry(head);\n        turn.settle(outcome);\n        await handle(lane, head, outcome);\n",
        replace: `        await close(head, "delivered");
        turn.settle(await carry(head));
        next(lane, true);
`,
      },
    ],
    killedBy: { given: weather({ failing: 0.4 }) },
  },
  {
    name: "takes the message out of the outbox and marks it in two commits",
    edits: [
      {
        file: "flows/courier.ts",
        find: "    await removeParcels(tx, parcels);\n",
        replace: "",
      },
      {
        file: "flows/courier.ts",
        find: "    const { n, change, next: following } = await db.append(",
        replace: `    await db.transaction((tx) => removeParcels(tx, [parcel]));
    const { n, change, next: following } = await db.append(`,
      },
    ],
    killedBy: { given: { crashes: 6, trouble: 10_000, visitors: 4, messages: 12 }, seeds: 60 },
  },
  {
    name: "writes thread and outbox in two commits",
    edits: [
      {
        file: "flows/send.ts",
        find: "    await addParcels(tx, parcels);\n",
        replace: "",
      },
      {
        file: "flows/send.ts",
        find: "    if (fresh) announce(",
        replace: `    if (fresh) await db.transaction((tx) => addParcel(tx, parcel(visitor, site, message.pos, message.pos, at)));
    if (fresh) announce(`,
      },
    ],
    killedBy: { given: { crashes: 6, trouble: 10_000, visitors: 4, messages: 12 }, seeds: 60 },
  },
  {
    name: "does not know a message by the client's id",
    edits: [
      { file: "db/migrations/060.sql", find: "CREATE UNIQUE INDEX messages_id", replace: "CREATE INDEX messages_id" },
      {
        file: "records/threads.ts",
        find: "const n = known[i] === undefined ? numbers.next(visitor) : undefined;",
        replace: "const n = numbers.next(visitor);",
      },
      {
        file: "records/threads.ts",
        find: "const stored = known[i] === undefined ? undefined : await byId(tx, visitor, id);",
        replace: "const stored = undefined;",
      },
    ],
    killedBy: { given: { replays: 1, tabs: 3 } },
  },
  {
    name: "resumes without asking for the epoch",
    edits: [{ file: "flows/session.ts", find: "hello.epoch !== epoch || ", replace: "" }],
    killedBy: { given: SPECIAL["a restored backup"], seeds: 300 },
  },
  {
    name: "recovers a long gap in part",
    edits: [
      { file: "flows/session.ts", find: " && head - since <= GAP_MAX", replace: "" },
      {
        file: "flows/session.ts",
        find: "return { after: since, reset: false",
        replace: "return { after: Math.max(since, head - PAGE), reset: false",
      },
    ],
    killedBy: { given: SPECIAL["a thousand replies while away"], seeds: 5 },
  },
  {
    name: "delivers by the bus alone",
    edits: [
      {
        file: "socket/connections.ts",
        find: "    heard(connection, live, { visitor: live.visitor, head, read: row?.read ?? 0 });\n",
        replace: "",
      },
      {
        file: "socket/connections.ts",
        find: `put(live, { t: "pong", head });`,
        replace: `put(live, { t: "pong", head: live.sent });`,
      },
    ],
    killedBy: { given: { deaf: 0.5 } },
  },
  {
    name: "refuses what the database cannot take, instead of spooling it",
    edits: [
      { file: "flows/receive.ts", find: "      spool.append(reply);", replace: `      throw new Error("no spool");` },
    ],
    killedBy: { given: { diskFull: true, spoolFull: false, ...weather({ replies: 3 }), trouble: 30_000 } },
  },
  {
    name: "lets new replies overtake those in the spool",
    edits: [
      {
        file: "flows/receive.ts",
        find: "    if (spool.waiting && clock.uptime() >= replayAt) await soon(replay()).catch(() => {});\n    const { waiting } = spool;",
        replace: "    const waiting = spool.waiting && at0();",
      },
      {
        file: "flows/receive.ts",
        find: "const BODIES_MAX = 10_000;",
        replace: "const BODIES_MAX = 10_000;\nconst at0 = (): boolean => false;",
      },
    ],
    killedBy: {
      given: { diskFull: true, spoolFull: false, ...weather({ replies: 3 }), trouble: 60_000, messages: 12 },
      seeds: 60,
    },
  },
  {
    name: "never gives a message up",
    edits: [
      { file: "flows/courier.ts", find: "head.expires <= clock.now()", replace: "head.expires <= 0" },
      {
        file: "flows/courier.ts",
        find: "expired(db, clock.now(), EXPIRE_BATCH)",
        replace: "expired(db, 0, EXPIRE_BATCH)",
      },
    ],
    killedBy: { given: SPECIAL["outage of 13 hours"], seeds: 10 },
  },
  {
    name: "lets two messages of a visitor fly at once",
    edits: [
      {
        file: "flows/courier.ts",
        find: "    if (lane !== undefined) lane.again = true;\n    else {",
        replace: '    if (lane !== undefined && lane.state !== "flying") lane.again = true;\n    else {',
      },
    ],
    killedBy: { given: { messages: 12, trouble: 5_000 } },
  },
  {
    name: "takes a refused key for a refused message",
    edits: [
      {
        file: "flows/courier.ts",
        find: `      case "permanent":\n`,
        replace: `      case "permanent":\n      case "config":\n`,
      },
      { file: "flows/courier.ts", find: `      case "config":\n      case "edge":\n`, replace: `      case "edge":\n` },
    ],
    killedBy: { given: { rotations: 1, messages: 8 } },
  },
  {
    name: "drops what the service has no room for",
    edits: [
      {
        file: "flows/courier.ts",
        find: `      case "throttle":\n      case "config":`,
        replace: `      case "throttle":\n        return finish(lane, head, "delivered");\n      case "config":`,
      },
    ],
    killedBy: { given: { ...weather({ limit: 10 }), messages: 12, visitors: 4, trouble: 20_000 } },
  },
  {
    name: "tries a refused message again and again",
    edits: [
      {
        file: "flows/courier.ts",
        find: `return giveUp(lane, head, "rejected", outcome);`,
        replace: "return tryLater(lane, head, outcome);",
      },
    ],
    killedBy: { given: { poison: 0.5, messages: 6 }, seeds: 10 },
  },
  {
    name: "takes a call without an answer for delivered",
    edits: [
      {
        file: "flows/courier.ts",
        find: `      case "duplicate":\n`,
        replace: `      case "duplicate":\n      case "unknown":\n`,
      },
      {
        file: "flows/courier.ts",
        find: `      case "transient":\n      case "unknown":\n`,
        replace: `      case "transient":\n`,
      },
    ],
    killedBy: { given: weather({ lostCall: 0.4 }) },
  },
  {
    name: "gives up a call without an answer",
    edits: [
      {
        file: "flows/courier.ts",
        find: `      case "permanent":\n`,
        replace: `      case "permanent":\n      case "unknown":\n`,
      },
      {
        file: "flows/courier.ts",
        find: `      case "transient":\n      case "unknown":\n`,
        replace: `      case "transient":\n`,
      },
    ],
    killedBy: { given: weather({ lostAnswer: 0.4 }) },
  },
  {
    name: "forgets after a crash what it still had to deliver",
    edits: [
      { file: "flows/courier.ts", find: "of await openLanes(db)) {", replace: "of (await openLanes(db)).slice(1)) {" },
    ],
    killedBy: { given: { crashes: 4, ...weather({ down: 0.6 }) } },
  },
  {
    name: "lets a deleted visitor come back to life",
    edits: [
      {
        file: "records/visitors.ts",
        find: "     WHERE NOT EXISTS (SELECT 1 FROM forgotten WHERE visitor = $1) ON CONFLICT",
        replace: "     WHERE $1 = $1 ON CONFLICT",
      },
    ],
    killedBy: { given: { forgets: 2, tabs: 3, messages: 12, trouble: 5_000, deaf: 0.5 }, seeds: 100 },
  },
  {
    name: "leaves holes in the numbers",
    edits: [
      {
        file: "records/threads.ts",
        find: "heads.set(visitor, head + 1);",
        replace: "heads.set(visitor, head + 2);",
      },
    ],
    killedBy: { given: {} },
  },
  {
    name: "changes a message without a new number",
    edits: [
      {
        file: "records/threads.ts",
        find: "SET state = $3, reason = $4, n = $5 WHERE",
        replace: "SET state = $3, reason = $4, n = n + 0 * $5 WHERE",
      },
    ],
    killedBy: { given: {} },
  },
  {
    name: "says 200 for a reply that it wrote nowhere",
    edits: [{ file: "flows/receive.ts", find: "      spool.append(reply);\n", replace: "" }],
    killedBy: { given: { diskFull: true, spoolFull: false, ...weather({ replies: 3 }), trouble: 30_000 } },
  },
  {
    name: "empties the spool before the database has what was in it",
    edits: [
      { file: "db/spool.ts", find: "        rmSync(taking);\n", replace: "" },
      {
        file: "db/spool.ts",
        find: "        for (const entry of entriesOf<Entry>(taking)) {",
        replace: `        const entries = entriesOf<Entry>(taking);
        rmSync(taking);
        for (const entry of entries) {`,
      },
    ],
    killedBy: { given: { diskFull: true, spoolFull: false, crashes: 6, ...weather({ replies: 3 }), trouble: 30_000 } },
  },
  {
    name: "forgets the spool of an earlier life",
    edits: [
      {
        file: "db/spool.ts",
        find: "let waiting = existsSync(file) || existsSync(taking);",
        replace: "let waiting = false;",
      },
    ],
    killedBy: { given: { diskFull: true, spoolFull: false, crashes: 6, ...weather({ replies: 3 }), trouble: 30_000 } },
  },
];
