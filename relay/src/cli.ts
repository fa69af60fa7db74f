#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { readSettings, type Settings } from "./base/config.ts";
import type { Given, RelayCommand, Result } from "./cli/command.ts";
import { COMMANDS, commandIn, find, fits, parsed, unknown } from "./cli/commands.ts";
import { openContext } from "./cli/context.ts";
import { runOver } from "./cli/control.ts";
import { CommandError, type ExitCode } from "./cli/error.ts";
import { help, helpOn } from "./cli/help.ts";
import { type Found, findRelay, placesFor, unreachableRelay } from "./cli/locate.ts";
import { sandbox } from "./cli/sandbox.ts";
import { unusable } from "./cli/unusable.ts";

const PROGRAMS = {
  serve: { usage: "", help: "runs the relay, with its settings from the environment" },
  sandbox: {
    usage: "[--profile <profile>] …",
    help: "runs the sandbox of the messaging service, on port 8788; --profile chaos and more: sandbox --help",
  },
  help: { usage: "[<word>]", help: "says what there is, or what begins with a word" },
};
const ALL = { ...PROGRAMS, ...COMMANDS };

/** Every setting. @throws CommandError with all that are wrong */
function settings(): Settings {
  const read = readSettings(process.env);
  if ("problems" in read) throw new CommandError(read.problems.join("\n"), 2);
  return read.settings;
}

/** Runs a command over the data of the settings. @throws CommandError when they cannot be opened */
async function resultOf(command: RelayCommand, given: Given, all: Settings): Promise<Result> {
  const context = await openContext(all).catch((error: Error) => error);
  if (context instanceof Error) {
    const problem = unusable(context, all);
    if (command.unopened !== undefined) return command.unopened(problem);
    throw new CommandError(`${problem.why}. ${problem.cure} porchlight doctor tells more.`);
  }
  try {
    return await command.run(context, given);
  } finally {
    await context.close();
  }
}

/** The settings of the shell where it has any, and no relay runs. @throws CommandError that says how to point at a relay */
function ownSettings(places: readonly string[]): Settings {
  const unreachable = unreachableRelay(places);
  if (unreachable !== undefined)
    throw new CommandError(
      `The relay of ${unreachable.dataDir} (process ${unreachable.pid}) runs, but takes no commands here: run this as its user, in its container, or again once it has started.`,
    );
  const { SERVICE_URL, PORCHLIGHT_CONFIG } = process.env;
  if ((SERVICE_URL ?? PORCHLIGHT_CONFIG ?? "") !== "") return settings();
  throw new CommandError(
    `No relay answers on ${places.join(", ")}: set DATA_DIR to the data folder of the relay that runs (as its user or as root), or start one.`,
  );
}

/** Runs a command in the relay that runs, or on its data when none does. */
async function outcome(argv: readonly string[]): Promise<Result> {
  const { command, given } = commandIn(argv);
  if (command.place === "alone") return command.run(given);
  const places = placesFor(process.env.DATA_DIR);
  const found = await findRelay(places);
  if (found === undefined) return resultOf(command, given, ownSettings(places));
  name(found, places);
  return command.place === "here" ? resultOf(command, given, found.settings) : runOver(found.socket, argv);
}

/** Says which relay is asked, where it is not the one of this folder. */
function name({ dataDir, holder }: Found, [first]: readonly string[]): void {
  if (dataDir !== first) console.error(`Asking the relay of ${dataDir} (process ${holder.pid}).`);
}

function tell({ data, lines, code = 0 }: Result, json: boolean): ExitCode {
  for (const line of json ? [JSON.stringify(data, null, 2)] : lines) console.log(line);
  return code;
}

/** The version of this relay, and of the runtime that it runs on. */
function version(): Result {
  const file = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const data = { porchlight: (JSON.parse(file) as { version: string }).version, node: process.versions.node };
  return { data, lines: [`porchlight ${data.porchlight} (Node ${data.node})`] };
}

async function main(argv: readonly string[]): Promise<number | undefined> {
  const { name, rest } = find(argv);
  const json = argv.includes("--json");
  if (name === "--version") return tell(version(), json);
  if (name === "sandbox") return sandbox(rest);
  if (name === "help" || argv.some((arg) => arg === "--help" || arg === "-h")) {
    if (name === "help") fits(PROGRAMS.help, parsed({ options: { help: { type: "boolean" } } }, rest));
    const word = (name === "help" ? rest : argv).find((arg) => !arg.startsWith("-"));
    const found = word === undefined ? help(ALL) : helpOn(ALL, word);
    if (found === undefined) throw unknown(word ?? "");
    return tell(found, json);
  }
  if (Object.hasOwn(COMMANDS, name)) return tell(await outcome(argv), json);
  if (name !== "serve") throw unknown(name);
  fits(PROGRAMS.serve, parsed({ options: {} }, rest));
  const { serve } = await import("./cli/serve.ts");
  await serve(settings());
  return undefined;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const { message, stack, syscall } = error as NodeJS.ErrnoException;
  // What the system refused is the person's to mend; only what nobody foresaw shows where it happened.
  const plain = error instanceof CommandError || syscall !== undefined;
  const code = error instanceof CommandError ? error.code : 1;
  if (process.argv.includes("--json")) console.error(JSON.stringify({ error: message, code }));
  else console.error(plain ? message : stack);
  process.exit(code);
}
