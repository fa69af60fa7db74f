import { intake } from "../suites/intake.ts";
import type { Mutant } from "./mutant.ts";

/** Mistakes whose suites take minutes. */
export const LONG_MUTANTS: readonly Mutant[] = [
  {
    name: "cuts off who has just connected when it stops",
    edits: [
      {
        file: "http/newcomers.ts",
        find: "NetServer.prototype.close.call(server, () => resolve())",
        replace: "server.close(() => resolve())",
      },
    ],
    killedBy: { suite: (options) => intake({ ...options, restarts: 10, perSecond: 300 }) },
  },
];
