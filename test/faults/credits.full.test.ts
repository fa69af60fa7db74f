/** More keys and kills than in credits.test.ts. */

import { creditsUnderKills } from "./credits-kills.ts";

creditsUnderKills([
  ["two nodes on one database", { keys: 1_000, copies: 8, nodes: 2, kills: 150, dialect: "postgres" }],
  ["one node with a database of its own", { keys: 300, copies: 8, nodes: 1, kills: 100, dialect: "sqlite" }],
]);
