import { bitFlips } from "../suites/bit-flips.ts";
import { callbacks } from "../suites/callbacks.ts";
import { drain } from "../suites/drain.ts";
import { kill } from "../suites/kill.ts";
import { restart } from "../suites/restart.ts";
import type { Common, Report } from "../suites/suite.ts";
import { sync } from "../suites/sync.ts";
import type { Mutant } from "./mutant.ts";

const kills = (options: Common): Promise<Report> => kill({ ...options, starts: 4, messages: 400 });
const hostileCallbacks = (options: Common): Promise<Report> => callbacks({ ...options, callbacks: 1_500 });

/** Mistakes that show only in a real process on a real disk. */
export const PROCESS: Mutant[] = [
  {
    name: "acknowledges before the commit",
    edits: [
      {
        find: `writer.db.exec("COMMIT");`,
        replace: `for (const [job, result] of done) job.resolve(result as never);
      await new Promise((resolve) => setTimeout(resolve, 40));
      $0`,
      },
      { find: "(open ? reader : writer).tx", replace: "writer.tx" },
    ],
    killedBy: { suite: kills },
  },
  {
    name: "commits without a flush to disk (synchronous=NORMAL)",
    edits: [{ in: "resolveWhenFlushed", find: "await flushed;", replace: "" }],
    killedBy: { suite: sync },
  },
  {
    name: "spools without a flush to disk",
    edits: [{ find: "fdatasyncSync($file);", replace: "" }],
    killedBy: { suite: sync },
  },
  {
    name: "checks for a duplicate reply before it writes, without a unique index",
    edits: [
      { text: "CREATE UNIQUE INDEX messages_external ON", replace: "CREATE INDEX messages_external ON" },
      { in: "appendReplies", find: `if ($known) return "duplicate";`, replace: "" },
      {
        find: "const $written = await db.append(state.store, { $reply, $$file }, [$reply.visitor]);",
        replace: `const [known] = await db.all("SELECT 1 FROM messages WHERE external LIKE '%:' || $1", $reply.key);
    if (known !== undefined) return "duplicate";
    $0`,
      },
    ],
    killedBy: { suite: hostileCallbacks },
  },
  {
    name: "asks all visitors to reconnect at once when it stops",
    edits: [{ find: `{ t: "bye", retry: $retry }`, replace: `{ t: "bye", retry: [0, 0] }` }],
    killedBy: { suite: (options) => drain({ ...options, visitors: 6 }) },
  },
  {
    name: "stops without waiting for calls that are under way",
    edits: [{ in: "stop", find: "if ($inFlight === 0) return; await $ended;", replace: "return;" }],
    killedBy: { suite: (options) => drain({ ...options, visitors: 6 }) },
  },
  {
    name: "accepts a reply for an id that the relay did not issue",
    edits: [{ find: "!isVisitorId(signing, $callback.toId)", replace: "false" }],
    killedBy: { suite: hostileCallbacks },
  },
  {
    name: "accepts callbacks with any secret",
    edits: [{ find: "anySecret(decoded($secret), secrets())", replace: "true" }],
    killedBy: { suite: hostileCallbacks },
  },
  {
    name: "opens a database that was changed while the relay was down",
    edits: [{ find: "$kept && breakSeal($file)", replace: "false" }],
    killedBy: { suite: (options) => bitFlips({ ...options, flips: 200 }) },
  },
  {
    name: "delivers before it can receive the reply",
    edits: [
      { find: "await visitors.courier.start();", replace: "" },
      {
        find: "core.port = await server.listen();",
        replace: "await visitors.courier.start(); await new Promise((resolve) => setTimeout(resolve, 2_000)); $0",
      },
    ],
    killedBy: { suite: restart },
  },
  {
    name: "closes its server before calls that are under way have ended",
    edits: [
      { find: "Promise.all([server.close(), leave(groups, accounts)])", replace: "leave(groups, accounts)" },
      { find: "server.shut();", replace: "$0 await server.close();" },
    ],
    killedBy: { suite: restart },
  },
];
