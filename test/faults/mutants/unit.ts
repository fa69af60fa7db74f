import type { Mutant } from "./mutant.ts";

/** Mistakes that the tests beside a file show. */
const RELAY: Mutant[] = [
  {
    name: "lets a reply wait for the whole spool before it",
    edits: [
      {
        file: "flows/receive.ts",
        find: "await soon(replay()).catch(() => {});",
        replace: "await replay();",
      },
    ],
    killedBy: { unit: "flows/receive.test.ts" },
  },
  {
    name: "takes what a bot says again for a repeat, for ever",
    edits: [
      { file: "flows/receive.ts", find: "(!body.clean || clock.uptime() - body.at < REPEAT_MS)", replace: "true" },
    ],
    killedBy: { unit: "flows/receive.test.ts" },
  },
  {
    name: "takes a repeat without an id for a new reply after a broken answer",
    edits: [{ file: "flows/receive.ts", find: "(!body.clean || clock", replace: "(clock" }],
    killedBy: { unit: "flows/receive.test.ts" },
  },
  {
    name: "shows a site's people what came for an id that may be another site's",
    edits: [
      {
        file: "flows/receive.ts",
        find: "site: others.length === 0 ? first.public.id : NO_SITE",
        replace: "site: first.public.id",
      },
    ],
    killedBy: { unit: "flows/receive.test.ts" },
  },
  {
    name: "counts a call that could not be made as one that is under way",
    edits: [
      {
        file: "flows/courier.ts",
        find: "      turn.settle(NOT_CALLED);\n      for",
        replace: "      for",
      },
    ],
    killedBy: { unit: "flows/courier.test.ts" },
  },
  {
    name: "takes a message that lacks something of ours for a service that is away",
    edits: [
      {
        file: "service/keygate.ts",
        find: `kind === "transient" || (kind === "unknown"`,
        replace: `kind === "transient" || kind === "unready" || (kind === "unknown"`,
      },
    ],
    killedBy: { unit: "flows/courier.test.ts" },
  },
  {
    name: "leaves half a seal behind when the disk is full",
    edits: [
      {
        file: "db/seal.ts",
        find: "(file)}.new`;",
        replace: "(file)}`;",
      },
    ],
    killedBy: { unit: "db/backup.test.ts" },
  },
  {
    name: "does not pause after a refusal",
    edits: [
      {
        file: "service/pacer.ts",
        find: "pausedUntil = time + pauseFor(",
        replace: "pausedUntil = time + 0 * pauseFor(",
      },
    ],
    killedBy: { unit: "service/pacer.test.ts" },
  },
  {
    name: "lets other calls go on with a refused key",
    edits: [
      {
        file: "service/keygate.ts",
        find: "if (MESSAGES.includes(rank)) return true;",
        replace: "return MESSAGES.includes(rank);",
      },
    ],
    killedBy: { unit: "service/gates.test.ts" },
  },
  {
    name: "reads the key again only when something is to be sent",
    edits: [
      {
        file: "service/gates.ts",
        find: "onHeld: () => void (reload() || lookLater())",
        replace: "onHeld: () => void reload()",
      },
    ],
    killedBy: { unit: "service/gates.test.ts" },
  },
  {
    name: "takes the calls of the last minute for the limit, whoever used it up",
    edits: [
      {
        file: "service/pacer.ts",
        find: "pace.budget = Math.max(LEAST, limit, Math.ceil(budget / 2));",
        replace: "pace.budget = Math.max(1, limit);\n    pace.known = true;",
      },
    ],
    killedBy: { unit: "service/pacer.test.ts" },
  },
  {
    name: "never tries a higher pace again",
    edits: [
      {
        file: "service/pacer.ts",
        find: "|| time < pace.nextTrialAt) return false;",
        replace: "|| time > 0) return false;",
      },
    ],
    killedBy: { unit: "service/pacer.test.ts" },
  },
  {
    name: "lets repeats take the place of fresh messages",
    edits: [
      {
        file: "service/pacer.ts",
        find: "  if (pace.repeats < 1) return Math.ceil(((1 - pace.repeats) * MINUTE) / REPEATS_A_MINUTE);\n",
        replace: "",
      },
    ],
    killedBy: { unit: "service/pacer.test.ts" },
  },
  {
    name: "comes back from a refusal before the time the service named",
    edits: [
      {
        file: "service/pacer.ts",
        find: "if (told !== undefined) return jittered(Math.max(",
        replace: "if (told !== undefined) return jittered(Math.min(",
      },
    ],
    killedBy: { unit: "service/pacer.test.ts" },
  },
  {
    name: "calls a service that is away as often as before",
    edits: [
      { file: "base/breaker.ts", find: "probeAt === undefined ? 0 : Math.max(0, probeAt - now())", replace: "0" },
    ],
    killedBy: { unit: "base/breaker.test.ts" },
  },
];

/** The browser's half. */
const WIDGET: Mutant[] = [
  {
    name: "sends the next message before the relay wrote the last one",
    edits: [
      {
        file: "conversation/outbox.ts",
        find: "if (!ready || flying || pause.on()) return;",
        replace: "if (!ready || pause.on()) return;",
      },
    ],
    killedBy: { unit: "conversation/outbox.test.ts" },
  },
  {
    name: "sends into a thread that is not up to date",
    edits: [
      {
        file: "conversation/outbox.ts",
        find: "if (!ready || flying || pause.on()) return;",
        replace: "if (flying || pause.on()) return;",
      },
    ],
    killedBy: { unit: "conversation/outbox.test.ts" },
  },
  {
    name: "sends before it has kept",
    edits: [
      {
        file: "conversation/outbox.ts",
        find: "      line.push(entry);\n      keep(entry);\n",
        replace: "      line.push(entry);\n",
      },
    ],
    killedBy: { unit: "conversation/outbox.test.ts" },
  },
  {
    name: "forgets what was unsent when the page loads again",
    edits: [
      {
        file: "conversation/outbox.ts",
        find: "for (const unsent of storage.read().unsent) {",
        replace: "for (const unsent of storage.read().unsent.slice(0, 0)) {",
      },
    ],
    killedBy: { unit: "conversation/outbox.test.ts" },
  },
  {
    name: "lets every tab send what was left",
    edits: [{ file: "conversation/outbox.ts", find: "else if (!mayFlush) return claim();", replace: "else claim();" }],
    killedBy: { unit: "conversation/outbox.test.ts" },
  },
  {
    name: "sends yesterday's text today",
    edits: [{ file: "conversation/outbox.ts", find: "age > STALE_MS && !unsent.reason", replace: "false" }],
    killedBy: { unit: "conversation/outbox.test.ts" },
  },
  {
    name: "keeps a message only until it has gone out",
    edits: [
      {
        file: "conversation/outbox.ts",
        find: "    answer.set(ANSWER_MS, repeat);\n",
        replace: "    answer.set(ANSWER_MS, repeat);\n    discard(next.id);\n",
      },
    ],
    killedBy: { unit: "conversation/outbox.test.ts" },
  },
  {
    name: "never gives up a connection that is silent",
    edits: [
      { file: "conversation/connection.ts", find: "else if (now - lastFrame > SILENCE_MS) dead();", replace: "" },
    ],
    killedBy: { unit: "conversation/connection.silence.test.ts" },
  },
  {
    name: "comes back at once when the relay said when to come back",
    edits: [
      {
        file: "conversation/connection.ts",
        find: "const ms = rest > 0 ? rest : ",
        replace: "const ms = rest > 0 ? 0 : ",
      },
    ],
    killedBy: { unit: "conversation/connection.test.ts" },
  },
  {
    name: "takes frames behind a gap",
    edits: [{ file: "conversation/thread.ts", find: `if (after > held) return "gap";`, replace: "" }],
    killedBy: { unit: "conversation/thread.test.ts" },
  },
];

export const UNIT: Mutant[] = [...RELAY, ...WIDGET.map((mutant) => ({ ...mutant, part: "widget" as const }))];
