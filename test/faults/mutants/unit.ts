import type { Mutant } from "./mutant.ts";

/** Mistakes that the tests beside a file show. */
const RELAY: Mutant[] = [
  {
    name: "lets a reply wait for the whole spool before it",
    edits: [{ find: "await inTime(state, replay(state)).catch($failed);", replace: "await replay(state);" }],
    killedBy: { unit: "replies.test.ts" },
  },
  {
    name: "takes what a bot says again for a repeat, for ever",
    edits: [{ find: "!$body.answered || clock.uptime() - $body.at < REPEAT_MS", replace: "true" }],
    killedBy: { unit: "replies.test.ts" },
  },
  {
    name: "takes a repeat without an id for a new reply after a broken answer",
    edits: [{ find: "!$body.answered || $recent", replace: "$recent" }],
    killedBy: { unit: "replies.test.ts" },
  },
  {
    name: "shows a site's people what came for an id that may be another site's",
    edits: [{ find: "$others.length === 0 ? $first.public.id : NO_SITE", replace: "$first.public.id" }],
    killedBy: { unit: "replies.test.ts" },
  },
  {
    name: "counts a call that could not be made as one that is under way",
    edits: [{ in: "fly", find: "courier.flying--; $turn.settle(NOT_CALLED);", replace: "courier.flying--;" }],
    killedBy: { unit: "courier.test.ts" },
  },
  {
    name: "takes a message that lacks something of ours for a service that is away",
    edits: [{ in: "isAway", find: `$kind === "transient" || $rest`, replace: `$0 || $kind === "unready"` }],
    killedBy: { unit: "courier.test.ts" },
  },
  {
    name: "hands out rows before their flush",
    edits: [{ in: "read", find: "flushing === undefined", replace: "true" }],
    killedBy: { unit: "db/sqlite.test.ts" },
  },
  {
    name: "begins the flush a step after the commit",
    edits: [{ find: "sqlite.flushing = flushLog(sqlite, $flush);", replace: "{ await undefined; $0 }" }],
    killedBy: { unit: "db/sqlite.test.ts" },
  },
  {
    name: "reads on after a failed flush",
    edits: [{ in: "read", find: "refusal?.errcode === IOERR", replace: "false" }],
    killedBy: { unit: "db/sqlite.test.ts" },
  },
  {
    name: "writes on after a failed flush",
    edits: [
      {
        in: "write",
        find: "if (sqlite.refusal !== undefined) throw sqlite.refusal; if (sqlite.closing) $$;",
        replace: "",
      },
      {
        in: "write",
        find: 'if (sqlite.refusal !== undefined) throw sqlite.refusal; writer.db.exec("COMMIT");',
        replace: 'writer.db.exec("COMMIT");',
      },
    ],
    killedBy: { unit: "db/sqlite.test.ts" },
  },
  {
    name: "closes the log while it is flushed",
    edits: [{ find: "while (sqlite.flushing !== undefined) await sqlite.flushing.catch($$);", replace: "" }],
    killedBy: { unit: "db/sqlite.test.ts" },
  },
  {
    name: "awaits only one of two flushes before it closes the log",
    edits: [
      {
        find: "while (sqlite.flushing !== undefined) await sqlite.flushing.catch($$);",
        replace: "if (sqlite.flushing !== undefined) await sqlite.flushing.catch(() => {});",
      },
    ],
    killedBy: { unit: "db/sqlite.test.ts" },
  },
  {
    name: "commits a transaction during which an earlier flush failed",
    edits: [
      {
        in: "write",
        find: 'if (sqlite.refusal !== undefined) throw sqlite.refusal; writer.db.exec("COMMIT");',
        replace: 'writer.db.exec("COMMIT");',
      },
    ],
    killedBy: { unit: "db/sqlite.test.ts" },
  },
  {
    name: "tells why a transaction failed before what it read is flushed",
    edits: [{ find: "sqlite.flushing !== undefined && error !== sqlite.refusal", replace: "false" }],
    killedBy: { unit: "db/sqlite.test.ts" },
  },
  {
    name: "goes on after a checkpoint whose flush failed",
    edits: [{ find: "isLost(error) && refuse(sqlite, error)", replace: "undefined" }],
    killedBy: { unit: "db/sqlite.test.ts" },
  },
  {
    name: "takes the log away after a last checkpoint whose flush failed",
    edits: [{ find: "if (!emptyAtEnd(writer.db)) return;", replace: "emptyAtEnd(writer.db);" }],
    killedBy: { unit: "db/sqlite.test.ts" },
  },
  {
    name: "leaves half a seal behind when the disk is full",
    edits: [{ in: "seal.unfinished", replace: "sealOf(file)" }],
    killedBy: { unit: "backup.test.ts" },
  },
  {
    name: "does not pause after a refusal",
    edits: [{ find: "$now + pauseFor($$)", replace: "$now" }],
    killedBy: { unit: "pacer.test.ts" },
  },
  {
    name: "lets other calls go on with a refused key",
    edits: [{ find: "if (MESSAGES.includes($rank)) return true;", replace: "return MESSAGES.includes($rank);" }],
    killedBy: { unit: "gates.test.ts" },
  },
  {
    name: "reads the key again only when something is to be sent",
    edits: [{ find: "reload(state) || lookLater(state)", replace: "reload(state)" }],
    killedBy: { unit: "gates.test.ts" },
  },
  {
    name: "takes the calls of the last minute for the limit, whoever used it up",
    edits: [
      {
        in: "lower",
        find: "Math.max($seen, Math.ceil($budget / 2))",
        replace: "$seen",
      },
    ],
    killedBy: { unit: "pacer.test.ts" },
  },
  {
    name: "frees the places of calls that are under way",
    edits: [{ in: "placesInUse", replace: "({ counted }: Pace) => counted" }],
    killedBy: { unit: "pacer.test.ts" },
  },
  {
    name: "never tries a higher pace again",
    edits: [{ find: "$time < $pace.nextTrialAt", replace: "true" }],
    killedBy: { unit: "pacer.test.ts" },
  },
  {
    name: "lets repeats take the place of fresh messages",
    edits: [{ in: "takeRepeat", find: "if ($pace.repeats < 1) return $wait;", replace: "" }],
    killedBy: { unit: "pacer.test.ts" },
  },
  {
    name: "comes back from a refusal before the time the service named",
    edits: [
      {
        in: "pauseFor",
        find: "if ($told !== undefined) return jittered(Math.max($$wait), $random);",
        replace: "if ($told !== undefined) return jittered(Math.min($$wait), $random);",
      },
    ],
    killedBy: { unit: "pacer.test.ts" },
  },
  {
    name: "calls a service that is away as often as before",
    edits: [{ in: "createBreaker.allow", replace: "0" }],
    killedBy: { unit: "breaker.test.ts" },
  },
];

/** The browser's half. */
const WIDGET: Mutant[] = [
  {
    name: "sends the next message before the relay wrote the last one",
    edits: [{ in: "pump", find: "!this.#ready || this.#flying || $paused", replace: "!this.#ready || $paused" }],
    killedBy: { unit: "outbox.test.ts" },
  },
  {
    name: "sends into a thread that is not up to date",
    edits: [{ in: "pump", find: "!this.#ready || this.#flying || $paused", replace: "this.#flying || $paused" }],
    killedBy: { unit: "outbox.test.ts" },
  },
  {
    name: "sends before it has kept",
    edits: [{ in: "outbox.add", find: "this.#keep($entry);", replace: "" }],
    killedBy: { unit: "outbox.test.ts" },
  },
  {
    name: "forgets what was unsent when the page loads again",
    edits: [{ in: "outbox.load", find: "$storage.read().unsent", replace: "[]" }],
    killedBy: { unit: "outbox.test.ts" },
  },
  {
    name: "lets every tab send what was left",
    edits: [{ find: "if (!this.#mayFlush) return this.#claim();", replace: "if (!this.#mayFlush) this.#claim();" }],
    killedBy: { unit: "outbox.test.ts" },
  },
  {
    name: "sends yesterday's text today",
    edits: [{ find: "$age > STALE_MS && !$unsent.reason", replace: "false" }],
    killedBy: { unit: "outbox.test.ts" },
  },
  {
    name: "keeps a message only until it has gone out",
    edits: [{ find: "this.#answer.set(ANSWER_MS, $repeat);", replace: "$0 this.#discard(next.id);" }],
    killedBy: { unit: "outbox.test.ts" },
  },
  {
    name: "never gives up a connection that is silent",
    edits: [{ find: "if ($now - $last > SILENCE_MS) this.#dead();", replace: "" }],
    killedBy: { unit: "connection.silence.test.ts" },
  },
  {
    name: "comes back at once when the relay said when to come back",
    edits: [{ find: "$rest > 0 ? $rest : backoff($$tries)", replace: "$rest > 0 ? 0 : backoff($$tries)" }],
    killedBy: { unit: "connection.test.ts" },
  },
  {
    name: "takes frames behind a gap",
    edits: [{ find: `if ($after > $held) return "gap";`, replace: "" }],
    killedBy: { unit: "conversation/thread.test.ts" },
  },
];

export const UNIT: Mutant[] = [...RELAY, ...WIDGET.map((mutant) => ({ ...mutant, part: "widget" as const }))];
