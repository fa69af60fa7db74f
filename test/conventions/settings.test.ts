import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { settingsHelp } from "../../relay/src/base/config.ts";
import * as rules from "../../relay/src/base/rules.ts";
import { fileFields } from "../../relay/src/base/settings/file.ts";
import { COMMANDS } from "../../relay/src/cli/commands.ts";
import { root } from "./sources.ts";
import { wordKeys } from "./wordkeys.ts";

/** The guide to the environment. */
const SETTINGS = readFileSync(join(root, "relay", "docs", "guides", "settings.md"), "utf8");
const FILE = readFileSync(join(root, "relay", "docs", "guides", "configuration.md"), "utf8");

/** Names of the nested settings of a site or an account. */
const inside = Object.values(rules).flatMap((rule) =>
  typeof rule === "object" && "shape" in rule ? Object.keys(rule.shape as object) : [],
);

it("describes every field of an account and of a site in the guide to the configuration file", () => {
  const named = (name: string): boolean => new RegExp(`[\`"]${name}[\`"]`).test(FILE);
  expect(inside).toContain("phoneContact");
  expect([...fileFields.account, ...fileFields.site, ...inside].filter((name) => !named(name))).toEqual([]);
});

it("lists every command in the guide to operation", () => {
  const guide = readFileSync(join(root, "relay", "docs", "guides", "operation.md"), "utf8");
  const named = new Set<string>();
  for (const [, cell = ""] of guide.matchAll(/^\| (`[^|]+) \|/gm)) {
    let word = "";
    for (const [, name = ""] of cell.matchAll(/`([^`]+)`/g)) {
      // `token add` · `list`: the second name continues the first word.
      if (name.includes(" ")) [word = ""] = name.split(" ");
      for (const each of [name, `${word} ${name}`]) named.add(each);
    }
  }
  expect(Object.keys(COMMANDS).filter((name) => !named.has(name))).toEqual([]);
});

it("reads no environment variable that the settings guide does not list", () => {
  const known = settingsHelp().map(({ env }) => env);
  // Set by the system, or by a supervisor that holds the socket (systemd).
  const foreign = ["LISTEN_FDS", "LISTEN_PID", "NODE_ENV", "TZ", "HOME", "PATH"];
  const read = readdirSync(join(root, "relay", "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !/\.(test|fixture)\.ts$/.test(path))
    .flatMap((path) => [
      ...readFileSync(join(root, "relay", "src", path), "utf8").matchAll(
        /\b(?:process\.)?env(?:\.([A-Z][A-Z0-9_]+)|\["([A-Z][A-Z0-9_]+)"\])/g,
      ),
    ])
    .map(([, dotted, quoted]) => dotted ?? quoted ?? "");
  expect([...new Set(read)].filter((name) => !known.includes(name) && !foreign.includes(name))).toEqual([]);
  expect(known.filter((name) => !SETTINGS.includes(`| \`${name}\` |`))).toEqual([]);
});

it("has the same text keys in relay and widget (node test/conventions/wordkeys.ts updates them)", () => {
  const { written, renewed } = wordKeys();
  expect(written).toBe(renewed);
});
