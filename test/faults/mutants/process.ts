import { callbacks } from "../suites/callbacks.ts";
import { drain } from "../suites/drain.ts";
import { flips } from "../suites/flips.ts";
import { kill } from "../suites/kill.ts";
import { restart } from "../suites/restart.ts";
import type { Common, Report } from "../suites/suite.ts";
import { sync } from "../suites/sync.ts";
import type { Mutant } from "./mutant.ts";

const kills = (options: Common): Promise<Report> => kill({ ...options, lives: 4, messages: 400 });
const hostile = (options: Common): Promise<Report> => callbacks({ ...options, callbacks: 1_500 });

/** Mistakes that only a real process on a real disk shows. */
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
    edits: [{ in: "hearWhenFlushed", find: "await flushed;", replace: "" }],
    killedBy: { suite: sync },
  },
  {
    name: "spools without a flush to disk",
    edits: [{ find: "fdatasyncSync($file);", replace: "" }],
    killedBy: { suite: sync },
  },
  {
    name: "looks for a reply before it writes it, without a unique index",
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
    killedBy: { suite: hostile },
  },
  {
    name: "says goodbye to everybody at once",
    edits: [{ find: `{ t: "bye", retry: $retry }`, replace: `{ t: "bye", retry: [0, 0] }` }],
    killedBy: { suite: (options) => drain({ ...options, visitors: 6 }) },
  },
  {
    name: "stops without waiting for what is on its way",
    edits: [{ in: "stop", find: "if ($flying === 0) return; await $landed;", replace: "return;" }],
    killedBy: { suite: (options) => drain({ ...options, visitors: 6 }) },
  },
  {
    name: "takes a reply for an id that nobody minted",
    edits: [{ find: "!isVisitorId(signing, $callback.toId)", replace: "false" }],
    killedBy: { suite: hostile },
  },
  {
    name: "takes callbacks under any secret",
    edits: [{ find: "anySecret(decoded($secret), secrets())", replace: "true" }],
    killedBy: { suite: hostile },
  },
  {
    name: "opens a database that somebody changed",
    edits: [{ find: "$kept && breakSeal($file)", replace: "false" }],
    killedBy: { suite: (options) => flips({ ...options, flips: 200 }) },
  },
  {
    name: "delivers before it can hear the reply",
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
    name: "closes its door before what is on its way has landed",
    edits: [
      { find: "await server.close();", replace: "await closed;" },
      { find: "server.shut();", replace: "$0 const closed = server.close();" },
    ],
    killedBy: { suite: restart },
  },
];
