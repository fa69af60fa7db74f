import type { Mutant } from "./mutant.ts";
import type { Edit } from "./place.ts";

/** The product without one of its defences. @param unit the test that must fail */
const without = (name: string, unit: string, edit: Edit): Mutant => ({
  name: `has no ${name}`,
  edits: [edit],
  killedBy: { unit },
});

/** Every defence of cost and availability, removed one at a time. */
export const SAFETY: Mutant[] = [
  without("limit on a visitor's messages", "frames.test.ts", {
    in: "frames.attempt",
    find: "deps.messages.take($visitor)",
    replace: "0",
  }),
  without("answer to a visitor who sends too much", "frames.test.ts", {
    in: "frames.attempt",
    find: `if ($wait > 0) return refuse(context, { code: "rate_limited", $$ });`,
    replace: "if ($wait > 0) return;",
  }),
  without("limit on a visitor's requests", "frames.test.ts", {
    find: "FREE_FRAMES.has($frame.t) && deps.freeFrames.take($visitor) > 0",
    replace: "false",
  }),
  without("limit on the size of a frame", "upgrade.test.ts", { in: "socket.maxPayload", replace: "0" }),
  without("limit on remembered disconnects", "presence.test.ts", {
    in: "withPresence",
    find: "$young.size >= GENERATION_MAX",
    replace: "false",
  }),
  without("cache of the checked help file", "http/help.test.ts", {
    in: "contentOf",
    find: "$known?.changed === $changed && $known.size === $size",
    replace: "false",
  }),
  without("cache of the API page", "api/index.test.ts", {
    in: "serverApi",
    find: "$page?.address !== $address",
    replace: "true",
  }),
  without("limit on header fields", "header-limits.test.ts", {
    in: "createHttpServer",
    find: "server.maxHeadersCount = FIELDS_MAX;",
    replace: "",
  }),
  without("limit on the sum of complete headers", "header-limits.test.ts", {
    in: "limitHeaders",
    find: "$size > ORDINARY_SIZE && $handled + $size > $max",
    replace: "false",
  }),
  without("limit on the sum of incomplete headers", "header-limits.test.ts", {
    in: "limitIncompleteHeaders",
    find: "cutOffLargest($$);",
    replace: "",
  }),
  without("count of a body in chunks", "header-limits.test.ts", {
    in: "addChunked",
    find: "countBody(received, $request);",
    replace: "",
  }),
  without("end of a connection after a body in chunks", "header-limits.test.ts", {
    in: "incomplete-headers.add",
    find: `if ($headers["transfer-encoding"] !== undefined) addChunked($$);`,
    replace: "",
  }),
  without("limit on fragments", "upgrade.test.ts", { in: "socket.maxFragments", replace: "0" }),
  without("limit on pieces of a frame", "upgrade.test.ts", { in: "socket.maxBufferedChunks", replace: "0" }),
  without("deadline for a message", "upgrade.test.ts", { find: "sockets.unfinished.watch($socket);", replace: "" }),
  without("handler for errors of an upgrade", "upgrade.test.ts", {
    in: "upgrade",
    find: `$socket.on("error", ignore);`,
    replace: "",
  }),
  without("count of WebSockets per address", "upgrade.test.ts", {
    in: "upgrade",
    find: `if ($leave === undefined) return refuse($socket, "429 Too Many Requests");`,
    replace: "",
  }),
  without("end of a refused upgrade", "upgrade.test.ts", {
    in: "socket.refuse",
    find: `$socket.once("finish", () => $socket.destroy());`,
    replace: "",
  }),
  without("deadline for `hello`", "limits.test.ts", { find: "$now >= $phase.deadline", replace: "false" }),
  without("limit on bytes before `hello`", "limits.test.ts", {
    find: "$phase.size > HELLO_MAX",
    replace: "false",
  }),
  without("limit on queued frames", "limits.test.ts", {
    find: "$queue.length > QUEUE_MAX",
    replace: "false",
  }),
  without("limit on the size of queued frames", "limits.test.ts", {
    find: "$connection.queueSize > QUEUE_SIZE_MAX",
    replace: "false",
  }),
  without("limit on the queued frames of all clients", "limits.test.ts", {
    find: "$registry.queuesSize > QUEUES_SIZE_MAX",
    replace: "false",
  }),
  without("end of a closed client's queue", "limits.test.ts", {
    in: "output.forget",
    find: "$connection.queue.length = 0;",
    replace: "",
  }),
  without("order in which clients arrive", "limits.test.ts", {
    in: "connections.greet",
    find: "await slotForConnection($registry, $connection, $address, true);",
    replace: "await slotForConnection($registry, $connection, $address);",
  }),
  without("limit on what ended clients leave unread", "http/fallback.test.ts", {
    in: "linger",
    find: "lingering.add($$);",
    replace: "",
  }),
  without("end of a client that leaves much unread and breaks the protocol", "socket/socket.test.ts", {
    in: "socket-transport.close",
    find: "$code !== CLOSE.restart.code",
    replace: "$code === CLOSE.overload.code",
  }),
  without("copy of a frame that waits", "http/fallback.test.ts", {
    in: "receive",
    find: "copyOf($frame)",
    replace: "$frame",
  }),
  without("check of a node's name", "http/fallback.test.ts", {
    in: "forwarded",
    find: "NODE.test($node)",
    replace: "true",
  }),
  without("limit on what comes before the handshake", "upgrade.test.ts", {
    in: "limitEarly",
    find: "if ($size + $socket.readableLength > HELLO_MAX) $socket.destroy();",
    replace: "",
  }),
  without("limit on the unfinished messages of all clients", "unfinished-messages.test.ts", {
    in: "createUnfinishedMessages.add",
    find: "$total <= $max",
    replace: "true",
  }),
  without("count of a piece's memory", "unfinished-messages.test.ts", {
    in: "unfinished-messages.grow",
    find: "$piece.length + PIECE_COST",
    replace: "$piece.length",
  }),
  without("end of the memory of a message that is cut off", "unfinished-messages.test.ts", {
    in: "createUnfinishedMessages.cutOff",
    find: "free($$);",
    replace: "",
  }),
  without("memory of a message that `ws` still needs", "unfinished-messages.test.ts", {
    in: "unfinished-messages.free",
    find: "!$socket.destroyed || $socket.readableLength > 0",
    replace: "false",
  }),
  without("limit of open chats that follows the memory", "base/config.test.ts", {
    in: "chatLimit",
    find: "$socketsTotal ?? chatsFor($memory)",
    replace: "$socketsTotal ?? 20_000",
  }),
  without("end of a body that no route reads", "http/body.test.ts", {
    in: "withDeadline",
    find: "closeUnlessDone($request);",
    replace: "",
  }),
  without("end of a body behind a wrong secret", "http/callbacks.test.ts", {
    in: "callbacks",
    find: "if (!$right && hasBody($incoming)) closeUnlessDone($incoming);",
    replace: "",
  }),
  without("limit on the memory of waiting requests", "http/server.test.ts", {
    in: "reserve",
    find: "$budget.add($$);",
    replace: "",
  }),
  without("refusal of files of a deleted visitor", "flows/uploads.test.ts", {
    in: "addWithinQuota",
    find: `if (await wasForgotten(tx, $visitor)) throw new RelayError("unauthorized");`,
    replace: "",
  }),
  without("refusal of a file whose visitor deletes the chat meanwhile", "flows/uploads.test.ts", {
    in: "createUploads.drop",
    find: "$upload.isWithdrawn = true",
    replace: "$upload.isWithdrawn = false",
  }),
  without("limit on the bytes of uploads that are arriving", "files/stage.test.ts", {
    in: "counted",
    find: "if (!$isCutOff) arriving.add(upload, $chunk.length);",
    replace: "",
  }),
  without("check that a form still exists before each call for it", "flows/leads.test.ts", {
    in: "leads.exists",
    find: "return $lead !== undefined;",
    replace: "return true;",
  }),
  without("check of the site whose sessions are counted", "budgets.test.ts", {
    in: "createBudgets.session",
    find: "if (!isSite($site)) return 0;",
    replace: "",
  }),
  without("limit on pongs", "limits.test.ts", { find: "++$connection.pongs > PONGS_MAX", replace: "false" }),
  without("count of a client's pings", "socket/socket.test.ts", {
    in: "socket.open",
    find: `$ws.on("ping", $listener);`,
    replace: "",
  }),
  without("limit on connections to the operators' own listener", "admin-listener.test.ts", {
    in: "createAdminListener",
    find: "limitPeers($$);",
    replace: "",
  }),
  without("copy of an address that came in a header", "address.test.ts", {
    in: "withoutPort",
    find: "copyOf($address)",
    replace: "$address",
  }),
  without("limit on the path of a callback's field", "callback-fields.test.ts", {
    in: "pathsIn",
    find: "beginningOf($path)",
    replace: "$path",
  }),
  without("copy of the path of a callback's field", "callback-fields.test.ts", {
    in: "beginningOf",
    find: "copyOf($path)",
    replace: "$path",
  }),
  without("limit on the files of a callback", "service/callbacks.test.ts", {
    in: "linesOf",
    find: "$files.slice(0, FILES_MAX)",
    replace: "$files",
  }),
  without("limit on the length of an origin's host", "records/sites.test.ts", {
    in: "partsOf",
    find: "$url.hostname.length > HOST_MAX",
    replace: "false",
  }),
  without("pause between the frames of one client", "limits.test.ts", {
    in: "handleQueue",
    find: "if ($queue.length > 0) await nextTick();",
    replace: "",
  }),
  without("limit on unread bytes of a fallback connection", "limits.test.ts", {
    find: "unread > BUFFER_MAX",
    replace: "false",
  }),
  without("limit on unread bytes of all fallback connections", "limits.test.ts", {
    find: "registry.unread + $size > BUFFERS_MAX && $unread > FAIR_SHARE",
    replace: "false",
  }),
  without("limit on unread bytes of clients with less than their share", "limits.test.ts", {
    in: "sendText",
    find: "makeRoom(registry);",
    replace: "",
  }),
  without("record of open answers of the fallback", "fallback.test.ts", {
    find: "$line.answers.add($answer);",
    replace: "",
  }),
  without("refusal of HEAD on a fallback connection", "fallback.test.ts", { find: "refuseHead($c);", replace: "" }),
  without("notice that the client of a fallback answer is gone", "fallback.test.ts", {
    in: "fallback.trackUnread",
    find: "closed();",
    replace: "",
  }),
  without("cut-off of answers to a client that reads too slowly", "fallback.test.ts", {
    in: "fallback.end",
    find: "for (const $answer of $line.answers) $answer.cut();",
    replace: "",
  }),
  without("cut-off of answers of a closed fallback connection", "fallback.test.ts", {
    in: "linger",
    find: "clock.after(LINGER_MS, $rest.cutOff);",
    replace: "",
  }),
  without("count of fallback connections per address", "fallback.test.ts", {
    find: `if ($leave === undefined) throw new RelayError("rate_limited");`,
    replace: "",
  }),
  without("limit on a post of the fallback", "fallback.test.ts", {
    find: "$greeted ? SIZES.frames : HELLO_MAX",
    replace: "Number.MAX_SAFE_INTEGER",
  }),
  without("check of a body's Content-Length", "body.test.ts", {
    find: `if (Number($incoming.headers["content-length"]) > $max) return tooLarge();`,
    replace: "",
  }),
  without("count of a body's bytes", "body.test.ts", {
    find: "if ($size > $max) return tooLarge(); parts.push($part);",
    replace: "parts.push($part);",
  }),
  without("limit on the sum of incomplete bodies", "body.test.ts", {
    in: "createBodyBudget",
    find: "$oldest.cutOff();",
    replace: "",
  }),
  without("return of a body's share of the limit", "body.test.ts", {
    in: "createBodyBudget",
    find: "$size -= $body.size",
    replace: "0",
  }),
  without("disconnect after an incomplete body", "body.test.ts", {
    find: "if (!$incoming.complete) $incoming.socket.destroy();",
    replace: "",
  }),
  without("limit on the body that follows an answer", "body.test.ts", {
    in: "withResponsePolicy",
    find: "limitUnreadBody($request, $response);",
    replace: "",
  }),
  without("disconnect after a broken frame", "upgrade.test.ts", {
    find: "$phase.transport.close(CLOSE.protocol)",
    replace: "0",
  }),
  without("deadline for downloads of unknown length", "response-policy.test.ts", {
    in: "limitDuration",
    find: "$written() - $before",
    replace: "Number.POSITIVE_INFINITY",
  }),
  without("deadline for downloads by the path of a fallback connection", "response-policy.test.ts", {
    in: "isDownload",
    find: "!FALLBACK.test($url)",
    replace: '!$url.startsWith("/socket/lines/")',
  }),
  without("limit on the length of a language's tag", "language.test.ts", {
    in: "languageOf",
    find: "if ($tag.length > TAG_MAX) return undefined;",
    replace: "",
  }),
  without("limit on pictures in memory", "stage.test.ts", {
    in: "stage.take",
    find: "$state.limited(() => strip($file, $type, $size))",
    replace: "strip($file, $type, $size)",
  }),
  without("deadline for bodies", "body.test.ts", {
    find: "clock.after(ms, () => request.destroy())",
    replace: "clock.after(ms, () => {})",
  }),
  without("deadline for headers", "server.test.ts", { in: "server.headersTimeout", replace: "0" }),
  without("answer to a request that offers another protocol", "server.test.ts", {
    in: "createHttpServer",
    find: "{ ...$deadlines, shouldUpgradeCallback: $isUpgrade }",
    replace: "{ ...$deadlines }",
  }),
  without("limit on connections of a peer", "server.test.ts", {
    in: "limitPeers",
    find: "slots.take($address)",
    replace: "(() => {})",
  }),
  without("limit on pipelined requests", "server.test.ts", {
    find: "$count > WAITING_MAX",
    replace: "false",
  }),
  without("order of pipelined requests", "server.test.ts", {
    in: "limitPipelining",
    find: `$before.once("close", $handle);`,
    replace: "($handle)();",
  }),
  without("limit on the sum of unread answers", "response-policy.test.ts", {
    in: "limitUnreadAnswer",
    find: "budget.add($answer, $response.writableLength)",
    replace: "0",
  }),
  without("limit on files that are sent at once", "response-policy.test.ts", {
    in: "limitUnreadAnswer",
    find: "budget.add($answer, FILE_BYTES)",
    replace: "0",
  }),
  without("ban on addresses that were refused", "server.test.ts", {
    in: "limitPeers",
    find: "(state.blocked.get($address) ?? 0) > clock.uptime()",
    replace: "false",
  }),
  without("reserve for addresses without a connection", "connection-slots.test.ts", {
    find: "$count > 0 ? Math.floor(total * NEARLY_FULL) : total",
    replace: "$total",
  }),
  without("limit on new connections of an address", "connection-slots.test.ts", {
    find: "arrivals.take($address) > 0",
    replace: "false",
  }),
  without("limit on leads per visitor", "leads.test.ts", {
    find: "(await countLeads($$)) >= PER_VISITOR",
    replace: "false",
  }),
  without("limit on leads of a day", "leads.test.ts", {
    in: "capture",
    find: "$cap !== undefined && !(await takeOne($$))",
    replace: "false",
  }),
  without("budget of messages per address", "budgets.test.ts", {
    in: "budgets.message",
    find: "messages.take($key)",
    replace: "0",
  }),
  without("share of the day per address", "budgets.test.ts", {
    find: "$site.share($keys)",
    replace: "0",
  }),
  without("share of the day per /48 of IPv6", "budgets.test.ts", {
    in: "shareOf",
    find: "byPrefix48.take($$)",
    replace: "0",
  }),
  without("count of new visitors per /48 of IPv6", "budgets.test.ts", {
    in: "takeFairly",
    find: "limit.byPrefix48.levels($key).taken",
    replace: "0",
  }),
  without("limit on connections of a /48 of IPv6", "connection-slots.test.ts", {
    find: "held.of($prefix) >= Math.floor(total * PREFIX_48_PART)",
    replace: "false",
  }),
  without("size of an upload that announces none", "budgets.test.ts", {
    in: "uploadBudget",
    find: "$announced ?? largest",
    replace: "$announced ?? 0",
  }),
  without("budget of new visitors per address", "budgets.test.ts", {
    in: "budgets.visitor",
    find: "visitors.take($key)",
    replace: "0",
  }),
  without("budget of new visitors per site", "budgets.test.ts", {
    in: "budgets.visitor",
    find: "takeFairly(visitors, $keys, $site.newVisitors, $key)",
    replace: "0",
  }),
  without("change of a site's budgets by porchlight reload", "budgets.test.ts", {
    in: "createBudgets",
    find: "$found?.perDay === perDayOf($site)",
    replace: "$found !== undefined",
  }),
  without("budget of leads per address", "budgets.test.ts", {
    in: "budgets.lead",
    find: "leads.take($key)",
    replace: "0",
  }),
  without("budget of sessions per address", "budgets.test.ts", {
    in: "budgets.session",
    find: "sessions.take($key)",
    replace: "0",
  }),
  without("budget of uploaded bytes per address", "budgets.test.ts", {
    in: "uploadBudget",
    find: "uploads.take($$)",
    replace: "0",
  }),
  without("check of the budget of new visitors", "frames.test.ts", {
    find: "deps.budgets.visitor($live)",
    replace: "0",
  }),
  without("check of the budget of messages", "frames.test.ts", {
    find: "deps.budgets.message($live)",
    replace: "0",
  }),
  without("check of the budget of leads", "frames.test.ts", { find: "deps.budgets.lead($live)", replace: "0" }),
  without("limit on the number of keys of a limiter", "limiter.test.ts", {
    in: "bucketOf",
    find: "if ($due) rotate(state, $now);",
    replace: "",
  }),
  without("scheme and port in wildcard origins", "sites.test.ts", {
    find: "if ($given.protocol !== $wanted.protocol || $given.port !== $wanted.port) return false;",
    replace: "",
  }),
  without("subdomain in wildcard origins", "sites.test.ts", {
    in: "sites",
    find: "$above.length > 0 && $named",
    replace: "$named",
  }),
  without("list of who may frame the chat", "framing.test.ts", {
    text: "frame-ancestors 'self' ",
    replace: "frame-src 'self' ",
  }),
  without("ban on frames around the unsubscribe page", "framing.test.ts", {
    in: "unsubscribe.POLICY",
    text: "; frame-ancestors 'none'",
    replace: "",
  }),
  without("ban on frames around the API's page", "framing.test.ts", {
    text: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    replace: "default-src 'none'; style-src 'unsafe-inline'",
  }),
  without("link between an operator's session and its token", "access.test.ts", {
    in: "access.sha256Of",
    find: 'createHash("sha256").update($token)',
    replace: 'createHash("sha256")',
  }),
  without("limit on simultaneous guesses of the admin token", "access.test.ts", {
    in: "credentialOf",
    find: "$others >= GUESSES",
    replace: "false",
  }),
  without("limit on guesses", "guesses.test.ts", {
    in: "accepts",
    find: "if ($slow && !(await waitInQueue($address))) return false;",
    replace: "",
  }),
  without("combined log line for unknown origins", "repeated-events.test.ts", {
    in: "combineRepeatedEvents",
    find: "if ($count !== undefined) return;",
    replace: "",
  }),
  without("limit on the recent values that are masked in the log", "log.test.ts", {
    in: "recent",
    find: "if ($values.size > $max && $oldest !== undefined) $values.delete($oldest);",
    replace: "",
  }),
  without("end of the session whose replaced token is used again", "session.test.ts", {
    find: "await endSession(deps, $session.visitor, $session.id);",
    replace: "",
  }),
  without("limit on the rows about a user's sessions", "session.test.ts", {
    in: "endAllAtLimit",
    find: "(await countSessionRows($$)) < ROWS_MAX",
    replace: "true",
  }),
  without("replacement of tokens", "session.test.ts", {
    find: "$session.rotation + 1",
    replace: "$session.rotation",
  }),
  without("grace period for tabs with the previous token", "session.test.ts", {
    find: "$now - $since < GRACE_MS",
    replace: "false",
  }),
  without("shortcut for the deletion of a visitor who never wrote", "forget.test.ts", {
    in: "tracesOf",
    find: "$former.length === 0 && $row === undefined",
    replace: "false",
  }),
  without("least size of a file in the quotas", "uploads.test.ts", { in: "FILE_MIN", replace: "1" }),
  without("fair share of a site's budget for new visitors (A27)", "budgets.test.ts", {
    in: "takeFairly",
    find: "$left < $taken && $most > $left * FAIR_PART",
    replace: "false",
  }),
  without("tick of the event loop for each slice of the block list", "access-policy.test.ts", {
    in: "readChanged",
    find: "oneReadPerTick(state.db)",
    replace: "state.db",
  }),
  without("notice of another process's blocks", "access-policy.test.ts", {
    in: "addBlock",
    find: "await renewRevision($tx)",
    replace: "",
  }),
  without("notice of blocks that another process removes", "access-policy.test.ts", {
    in: "removeBlock",
    find: "await renewRevision($tx)",
    replace: "",
  }),
  without("kept sum of a site's files", "uploads.test.ts", {
    in: "addMedia",
    find: "await addToSiteSum($$)",
    replace: "",
  }),
  without("order of reads that wait for each other", "one-read-per-tick.test.ts", {
    in: "oneReadPerTick",
    find: "$read.finally($$)",
    replace: "$read",
  }),
  without("limit on the rows that one statement of a filtered list reads", "slices.test.ts", {
    in: "SLICE_ROWS",
    replace: "1_000_000",
  }),
  without("index of the ledger's unfinished entries", "plans.test.ts", { in: "LEDGER_OPEN", replace: '"1 = 1"' }),
  without("shared run for requests that end all sessions of a site", "session-endings.test.ts", {
    in: "createSessionEndings.site",
    find: "next.get($site)",
    replace: "undefined",
  }),
  without("limit on the rows that a list of several sites reads at once", "reads.test.ts", {
    in: "mergedPage",
    find: "Math.max(READ_MIN, Math.ceil(PAGE_ROWS / $lists.length))",
    replace: "skip + PAGE_ROWS + 1",
  }),
  without("limit on the rows before a page of a list", "paging.test.ts", { in: "SKIP_MAX", replace: "100_000" }),
  without("limit on a reader's sign-ins", "access.test.ts", {
    in: "maySignIn",
    find: "signIns.take($$) === 0",
    replace: "true",
  }),
  without("limit on a reader's examinations of the relay", "state.test.ts", {
    in: "shareExaminations",
    find: "clock.uptime() - $ended >= FINDINGS_MS",
    replace: "true",
  }),
  without("pause between two slices of stored answers", "forget.test.ts", {
    in: "answersDeletion",
    find: "await new Promise((resolve) => setImmediate(resolve));",
    replace: "",
  }),
  without("order of the searches of stored answers", "forget.test.ts", {
    in: "answersDeletion",
    find: "limitConcurrency(1)",
    replace: "limitConcurrency(9)",
  }),
  without("search of the answers to requests under way", "forget.test.ts", {
    in: "erase",
    find: "dropAnswers(tx, await newAnswersAbout($$))",
    replace: "undefined",
  }),
  without("record of a deletion that has begun", "unfinished-deletions.test.ts", {
    in: "partsOf.begins",
    find: "await addDeletion($$);",
    replace: "",
  }),
  without("check that a deletion has not ended before each part", "forget.test.ts", {
    in: "partsOf.goesOn",
    find: "$deletion === undefined",
    replace: "false",
  }),
  without("check of the deletion before a login moves the thread", "session.test.ts", {
    in: "merge",
    find: "await isBeingDeleted($$)",
    replace: "false",
  }),
  without("second search for a new name of a visitor", "forget.test.ts", {
    in: "erase",
    find: "!covers($$)",
    replace: "false",
  }),
];
