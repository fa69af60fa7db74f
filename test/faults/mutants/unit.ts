import type { Mutant } from "./mutant.ts";

/** Mistakes in the relay that unit tests find. */
const RELAY: Mutant[] = [
  {
    name: "writes a call although another node may send the message by now",
    edits: [{ in: "maySend", find: "cluster.leases.holds(accountLease($account))", replace: "true" }],
    killedBy: { unit: "service.test.ts" },
  },
  {
    name: "stores a fraction of a millisecond as the time of an event's next try",
    edits: [{ in: "nextOf", find: "Math.ceil($wait * (1 + $random() / 10))", replace: "$wait * (1 + $random() / 10)" }],
    killedBy: { unit: "flows/webhooks.test.ts" },
  },
  {
    name: "serves all clients that lack many changes at once (A28)",
    edits: [{ in: "readLog", find: "await slotForConnection($$);", replace: "" }],
    killedBy: { unit: "socket/feed.test.ts" },
  },
  {
    name: "answers all hellos of an instant in one tick of the event loop (A28)",
    edits: [{ in: "greet", find: "await slotForConnection($$);", replace: "" }],
    killedBy: { unit: "socket/feed.test.ts" },
  },
  {
    name: "opens all WebSockets of an instant in one tick of the event loop (A28)",
    edits: [{ in: "upgrade", find: "void $sockets.connections.slot($$).then(accept);", replace: "accept();" }],
    killedBy: { unit: "socket/upgrade.test.ts" },
  },
  {
    name: "answers all requests for history of an instant in one tick of the event loop (A28)",
    edits: [{ in: "handle", find: 'if ($frame.t === "older") await slotForConnection($$);', replace: "" }],
    killedBy: { unit: "socket/feed.test.ts" },
  },
  {
    name: "gives a slot to clients that have left (A28)",
    edits: [{ in: "slotForConnection", find: '$connection.phase.name === "closed"', replace: "false" }],
    killedBy: { unit: "socket/feed.test.ts" },
  },
  {
    name: "lets all clients wait in one queue, whatever their address (A28)",
    edits: [{ in: "slotForAddress", find: "prefix48Of($address) ?? $address", replace: '"all"' }],
    killedBy: { unit: "socket/feed.test.ts" },
  },
  {
    name: "lets every IPv6 address of a customer have slots of its own (A28)",
    edits: [{ in: "slotForAddress", find: "prefix48Of($address) ?? $address", replace: "$address" }],
    killedBy: { unit: "socket/feed.test.ts" },
  },
  {
    name: "sends a client all it lacks before it has read anything (A28)",
    edits: [{ in: "readLog", find: "await waitForRoom(registry, live);", replace: "" }],
    killedBy: { unit: "socket/feed.test.ts" },
  },
  {
    name: "keeps an operator's session in memory after another node ended all sessions",
    edits: [{ in: "createStore", find: "!(await endedSince(db, $kept))", replace: "true" }],
    killedBy: { unit: "admin/access.test.ts" },
  },
  {
    name: "stores an operator's session that another node ends at the same time",
    edits: [{ in: "storeUse", find: "await endedSince($tx, $kept)", replace: "false" }],
    killedBy: { unit: "admin/access.test.ts" },
  },
  {
    name: "finds a changed message only after its place",
    edits: [{ in: "changesSince", text: "m.n > $2 AND m.n <> m.pos", replace: "m.pos > $2 AND m.n <> m.pos" }],
    killedBy: { unit: "records/threads.test.ts" },
  },
  {
    name: "stores a session of an operator twice after a commit whose answer was lost",
    edits: [
      {
        in: "save",
        find: "await addAdminSession($tx, $session)",
        replace: "(await addAdminSession($tx, $session), true)",
      },
    ],
    killedBy: { unit: "admin/access.test.ts" },
  },
  {
    name: "keeps any number of sessions of operators in memory (A27)",
    edits: [{ in: "createStore", find: "if ($ended !== undefined) unsaved.delete($ended.hash);", replace: "" }],
    killedBy: { unit: "admin/access.test.ts" },
  },
  {
    name: "ends sessions in memory although the database refused to end the others",
    edits: [{ in: "end", find: "unsaved.set($each, $kept);", replace: "" }],
    killedBy: { unit: "admin/access.test.ts" },
  },
  {
    name: "stores a session that has ended",
    edits: [{ in: "save", find: "await hasEnded($tx)", replace: "false" }],
    killedBy: { unit: "admin/access.test.ts" },
  },
  {
    name: "lets sessions of readers end an admin's (A27)",
    edits: [
      { in: "createStore", find: '$kept.find(($each) => $each.role === "reader") ?? $kept[0]', replace: "$kept[0]" },
    ],
    killedBy: { unit: "admin/access.test.ts" },
  },
  {
    name: "deletes a long thread in one transaction",
    edits: [{ find: "await deleteRows(db, $visitor, $isDue);", replace: "" }],
    killedBy: { unit: "flows/forget.test.ts" },
  },
  {
    name: "reads a whole thread for an export at once",
    edits: [
      {
        in: "transcript",
        find: "pageAfter(db, $visitor, $after, BATCH)",
        replace: "pageAfter(db, $visitor, $after, 1e6)",
      },
    ],
    killedBy: { unit: "http/api/visitors.test.ts" },
  },
  {
    name: "calls an export complete from which a cancelled deletion removed messages",
    edits: [{ in: "isStillComplete", find: "messages < read.messages", replace: "false" }],
    killedBy: { unit: "http/api/visitors.test.ts" },
  },
  {
    name: "does not notice that a visitor was deleted during an export",
    edits: [{ in: "isStillComplete", find: "!read.deleting && $there", replace: "true" }],
    killedBy: { unit: "http/api/visitors.test.ts" },
  },
  {
    name: "answers sooner when no token of the server API has the id",
    edits: [
      {
        in: "findToken",
        find: "sameSecret(hashOf($text), $row?.hash ?? DUMMY_HASH)",
        replace: "$row !== undefined && sameSecret(hashOf($text), $row.hash)",
      },
    ],
    killedBy: { unit: "records/tokens.test.ts" },
  },
  {
    name: "obeys a fraction of a millisecond that the service states",
    edits: [{ in: "statedWait", find: "Math.ceil($wait)", replace: "$wait" }],
    killedBy: { unit: "rate-limit-headers.test.ts" },
  },
  {
    name: "makes a reply wait until the whole spool is replayed",
    edits: [{ find: "await inTime(state, $stored).catch($failed);", replace: "await replay(state);" }],
    killedBy: { unit: "replies.test.ts" },
  },
  {
    name: "makes a reply wait for the spooled replies of other visitors",
    edits: [{ find: "Promise.race([replay(state), laneFreed($$)])", replace: "replay(state)" }],
    killedBy: { unit: "replies.test.ts" },
  },
  {
    name: "treats a bot's repeated sentence as a duplicate forever",
    edits: [{ find: "!$body.answered || clock.uptime() - $body.at < REPEAT_MS", replace: "true" }],
    killedBy: { unit: "replies.test.ts" },
  },
  {
    name: "treats a repeat without an id as a new reply after a broken answer",
    edits: [{ find: "!$body.answered || $recent", replace: "$recent" }],
    killedBy: { unit: "replies.test.ts" },
  },
  {
    name: "shows a site's operators a reply for an id that may belong to another site",
    edits: [{ find: "$others.length === 0 ? $first.public.id : NO_SITE", replace: "$first.public.id" }],
    killedBy: { unit: "replies.test.ts" },
  },
  {
    name: "counts a call that could not be made as under way",
    edits: [
      { in: "usePermit", find: "courier.inFlight--; $permit.settle(NOT_CALLED);", replace: "courier.inFlight--;" },
    ],
    killedBy: { unit: "courier.test.ts" },
  },
  {
    name: "treats a message that is not ready as an outage of the service",
    edits: [{ in: "isUnavailable", find: `$kind === "transient" || $rest`, replace: `$0 || $kind === "unready"` }],
    killedBy: { unit: "courier.test.ts" },
  },
  {
    name: "returns rows before their commit is flushed",
    edits: [{ in: "read", find: "flushing === undefined", replace: "true" }],
    killedBy: { unit: "db/sqlite.test.ts" },
  },
  {
    name: "starts the flush in a later microtask than the commit",
    edits: [{ find: "sqlite.flushing = flushLog(sqlite, $flush);", replace: "{ await undefined; $0 }" }],
    killedBy: { unit: "db/sqlite.test.ts" },
  },
  {
    name: "continues to read after a failed flush",
    edits: [{ in: "read", find: "refusal?.errcode === IOERR", replace: "false" }],
    killedBy: { unit: "db/sqlite.test.ts" },
  },
  {
    name: "continues to write after a failed flush",
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
    name: "closes the log during a flush",
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
    name: "reports why a transaction failed before the data it read is flushed",
    edits: [{ find: "sqlite.flushing !== undefined && error !== sqlite.refusal", replace: "false" }],
    killedBy: { unit: "db/sqlite.test.ts" },
  },
  {
    name: "continues after a checkpoint whose flush failed",
    edits: [{ find: "isLost(error) && refuse(sqlite, error)", replace: "undefined" }],
    killedBy: { unit: "db/sqlite.test.ts" },
  },
  {
    name: "deletes the log after a last checkpoint whose flush failed",
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
    name: "continues other calls with a refused key",
    edits: [{ find: "if (MESSAGES.includes($rank)) return true;", replace: "return MESSAGES.includes($rank);" }],
    killedBy: { unit: "gates.test.ts" },
  },
  {
    name: "reads the key again only when there is something to send",
    edits: [{ find: "reload(state) || checkLater(state)", replace: "reload(state)" }],
    killedBy: { unit: "gates.test.ts" },
  },
  {
    name: "takes its own calls of the last minute as the limit, although others used it too",
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
    name: "does not count calls that are under way",
    edits: [{ in: "placesInUse", replace: "counted" }],
    killedBy: { unit: "pacer.test.ts" },
  },
  {
    name: "never tries a higher rate again",
    edits: [{ find: "$time < $pace.nextTrialAt", replace: "true" }],
    killedBy: { unit: "pacer.test.ts" },
  },
  {
    name: "lets retries use the budget of new messages",
    edits: [{ in: "takeRepeat", find: "if ($pace.repeats < 1) return $wait;", replace: "" }],
    killedBy: { unit: "pacer.test.ts" },
  },
  {
    name: "retries before the time that the service named",
    edits: [
      {
        in: "pauseFor",
        find: "if ($wait !== undefined) return jittered(Math.max($$arguments), $random);",
        replace: "if ($wait !== undefined) return jittered(Math.min($$arguments), $random);",
      },
    ],
    killedBy: { unit: "pacer.test.ts" },
  },
  {
    name: "calls an unreachable service as often as before",
    edits: [{ in: "createBreaker.allow", replace: "0" }],
    killedBy: { unit: "breaker.test.ts" },
  },
];

/** Mistakes in the widget that unit tests find. */
const WIDGET: Mutant[] = [
  {
    name: "sends the next message before the relay has stored the last one",
    edits: [{ in: "sendNext", find: "!this.#ready || this.#inFlight || $paused", replace: "!this.#ready || $paused" }],
    killedBy: { unit: "outbox.test.ts" },
  },
  {
    name: "sends before the thread is up to date",
    edits: [
      { in: "sendNext", find: "!this.#ready || this.#inFlight || $paused", replace: "this.#inFlight || $paused" },
    ],
    killedBy: { unit: "outbox.test.ts" },
  },
  {
    name: "sends a message before it has saved it",
    edits: [{ in: "outbox.add", find: "this.#save($entry);", replace: "" }],
    killedBy: { unit: "outbox.test.ts" },
  },
  {
    name: "forgets unsent messages when the page reloads",
    edits: [{ in: "outbox.load", find: "$storage.read().unsent", replace: "[]" }],
    killedBy: { unit: "outbox.test.ts" },
  },
  {
    name: "lets every tab send the messages left from before",
    edits: [{ find: "if (!this.#mayFlush) return this.#claim();", replace: "if (!this.#mayFlush) this.#claim();" }],
    killedBy: { unit: "outbox.test.ts" },
  },
  {
    name: "sends a stale message without asking",
    edits: [{ find: "$age > STALE_MS && !$unsent.reason", replace: "false" }],
    killedBy: { unit: "outbox.test.ts" },
  },
  {
    name: "keeps a message only until it is sent",
    edits: [{ find: "this.#answer.set(ANSWER_MS, $repeat);", replace: "$0 this.#discard(next.id);" }],
    killedBy: { unit: "outbox.test.ts" },
  },
  {
    name: "never gives up a silent connection",
    edits: [{ find: "if ($now - $last > SILENCE_MS) this.#replaceDead();", replace: "" }],
    killedBy: { unit: "connection.silence.test.ts" },
  },
  {
    name: "reconnects at once although the relay named a time",
    edits: [{ find: "$rest > 0 ? $rest : backoff($$tries)", replace: "$rest > 0 ? 0 : backoff($$tries)" }],
    killedBy: { unit: "connection.test.ts" },
  },
  {
    name: "accepts frames after a gap",
    edits: [{ find: `if ($after > $held) return "gap";`, replace: "" }],
    killedBy: { unit: "conversation/thread.test.ts" },
  },
];

export const UNIT: Mutant[] = [...RELAY, ...WIDGET.map((mutant) => ({ ...mutant, part: "widget" as const }))];
