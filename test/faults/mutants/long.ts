import { browserFaultRun } from "../../browser/fault-run.ts";
import { restartDuringCallbacks } from "../suites/restart-during-callbacks.ts";
import type { Common, Report } from "../suites/suite.ts";
import { CORE } from "./core.ts";
import { CREDITS_UNDER_KILLS } from "./credits.ts";
import type { Mutant } from "./mutant.ts";
import { NODES } from "./nodes.ts";
import { PROCESS } from "./process.ts";

const pages = (options: Common): Promise<Report> => browserFaultRun({ ...options, seconds: 30, kills: 8, seed: 1 });

/** The mutant of that name, found by the fault run with browser pages. @throws Error when it does not exist */
function onPages(name: string): Mutant {
  const known = [...CORE, ...PROCESS].find((mutant) => mutant.name === name);
  if (known === undefined) throw new Error(`There is no mutant called "${name}"`);
  return { ...known, name: `${name}, in the browser`, killedBy: { suite: pages } };
}

/** Mistakes whose suites take minutes. */
export const LONG_MUTANTS: readonly Mutant[] = [
  ...CREDITS_UNDER_KILLS,
  ...NODES,
  {
    name: "cuts off clients that have just connected when it stops",
    edits: [{ find: "NetServer.prototype.close.call(server, $done)", replace: "server.close($done)" }],
    killedBy: { suite: (options) => restartDuringCallbacks({ ...options, restarts: 10, perSecond: 300 }) },
  },
  onPages("acknowledges before the commit"),
  onPages("uses a new messageSid for every attempt"),
];
