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
        file: "db/sqlite.ts",
        find: `      writer.db.exec("COMMIT");`,
        replace: `      for (const [job, result] of done) job.resolve(result as never);
      await new Promise((resolve) => setTimeout(resolve, 40));
      writer.db.exec("COMMIT");`,
      },
      { file: "db/sqlite.ts", find: "(open ? reader : writer).tx", replace: "writer.tx" },
    ],
    killedBy: { suite: kills },
  },
  {
    name: "commits without a flush to disk (synchronous=NORMAL)",
    edits: [
      { file: "db/sqlite.ts", find: `"synchronous = FULL",`, replace: `"synchronous = NORMAL",` },
      { file: "db/sqlite.ts", find: "if (level !== 2)", replace: "if (level === undefined)" },
    ],
    killedBy: { suite: sync },
  },
  {
    name: "spools without a flush to disk",
    edits: [{ file: "db/spool.ts", find: "        fdatasyncSync(fd);\n", replace: "" }],
    killedBy: { suite: sync },
  },
  {
    name: "looks for a reply before it writes it, without a unique index",
    edits: [
      {
        file: "db/migrations/060.sql",
        find: "CREATE UNIQUE INDEX messages_external",
        replace: "CREATE INDEX messages_external",
      },
      {
        file: "records/threads.ts",
        find: `    if (known[i] !== undefined || fresh.has(external)) return "duplicate";\n`,
        replace: "",
      },
      {
        file: "flows/receive.ts",
        find: "    const written = await db.append(writeAll, { reply, file });",
        replace: `    const [known] = await db.all("SELECT 1 FROM messages WHERE external LIKE '%:' || $1", reply.key);
    if (known !== undefined) return "duplicate";
    const written = await db.append(writeAll, { reply, file });`,
      },
    ],
    killedBy: { suite: hostile },
  },
  {
    name: "says goodbye to everybody at once",
    edits: [{ file: "socket/connections.ts", find: "retry: [0, Math.round(until)]", replace: "retry: [0, 0]" }],
    killedBy: { suite: (options) => drain({ ...options, visitors: 6 }) },
  },
  {
    name: "stops without waiting for what is on its way",
    edits: [{ file: "flows/courier.ts", find: "      if (flying === 0) return;\n", replace: "      return;\n" }],
    killedBy: { suite: (options) => drain({ ...options, visitors: 6 }) },
  },
  {
    name: "takes a reply for an id that nobody minted",
    edits: [
      {
        file: "flows/receive.ts",
        find: "if (!isVisitorId(signing, callback.toId)) return",
        replace: "if (sites.all.length === 0) return",
      },
    ],
    killedBy: { suite: hostile },
  },
  {
    name: "takes callbacks under any secret",
    edits: [
      {
        file: "http/callbacks.ts",
        find: `anySecret(decoded(secret), secrets())`,
        replace: `secrets().length > 0`,
      },
    ],
    killedBy: { suite: hostile },
  },
  {
    name: "opens a database that somebody changed",
    edits: [{ file: "db/sqlite.ts", find: "kept && breakSeal(file)", replace: "false" }],
    killedBy: { suite: (options) => flips({ ...options, flips: 200 }) },
  },
  {
    name: "delivers before it can hear the reply",
    edits: [
      { file: "relay.ts", find: "  await courier.start();\n", replace: "" },
      {
        file: "relay.ts",
        find: "  port = await listen(server, settings);\n",
        replace:
          "  await courier.start();\n  await new Promise((resolve) => setTimeout(resolve, 2_000));\n  port = await listen(server, settings);\n",
      },
    ],
    killedBy: { suite: restart },
  },
  {
    name: "closes its door before what is on its way has landed",
    edits: [
      { file: "relay.ts", find: "    const closed = newcomers.close();\n", replace: "" },
      {
        file: "relay.ts",
        find: "    connections.shut();\n",
        replace: "    connections.shut();\n    const closed = newcomers.close();\n",
      },
    ],
    killedBy: { suite: restart },
  },
];
