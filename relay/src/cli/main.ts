import { readFileSync } from "node:fs";
import { readSettings, type Settings } from "../base/config.ts";
import { printable } from "../base/printable.ts";
import type { CommandArgs, RelayCommand, Result } from "./command.ts";
import {
  COMMANDS,
  checkCount,
  commandIn,
  parseArguments,
  runRecorded,
  splitCommandLine,
  unknownCommand,
} from "./commands.ts";
import type { CommandContext } from "./context.ts";
import { runOver } from "./control.ts";
import { dataProblemOf } from "./data-errors.ts";
import { CommandError, type ExitCode } from "./error.ts";
import { help, helpOn } from "./help.ts";
import {
  awaitRelay,
  findRelay,
  foreignRelay,
  type Place,
  placesFor,
  type RunningRelay,
  unreachableRelay,
} from "./locate.ts";
import { sandbox } from "./sandbox.ts";

const PROGRAMS = {
  serve: { usage: "", help: "starts the relay, with its settings from the environment" },
  sandbox: {
    usage: "[--profile <profile>] …",
    help: "starts the sandbox of the messaging service on port 8788; sandbox --help lists its options",
  },
  help: { usage: "[<word>]", help: "lists all commands and settings, or the commands that begin with this word" },
};
const ALL = { ...PROGRAMS, ...COMMANDS };

/** The environment of a command line, and its outputs. */
export type Terminal = {
  env: Readonly<Record<string, string | undefined>>;
  /** Writes one line. */
  out: (line: string) => void;
  err: (line: string) => void;
};

/** Parts of the program that commands may need. The caller passes them, because they import most of the relay. */
export type CliParts = {
  /** Opens the data of a relay that does not run. */
  openContext: (settings: Settings) => Promise<CommandContext>;
  /** Runs the relay until a signal stops it. */
  serve: (settings: Settings) => Promise<void>;
};

/** Reads all settings. @throws CommandError with all problems */
function settings(env: Terminal["env"]): Settings {
  const read = readSettings(env);
  if ("problems" in read) throw new CommandError(read.problems.join("\n"), 2);
  return read.settings;
}

/** Runs a command on the data folder of the settings. @throws CommandError when the data cannot be opened */
async function runOnData(
  asked: { name: string; command: RelayCommand; given: CommandArgs },
  all: Settings,
  { openContext }: CliParts,
): Promise<Result> {
  const { command } = asked;
  const context = await openContext(all).catch((error: Error) => error);
  if (context instanceof Error) {
    const problem = dataProblemOf(context, all);
    if (command.unopened !== undefined) return command.unopened(problem);
    throw new CommandError(`${problem.why}. ${problem.cure} porchlight doctor shows more.`);
  }
  try {
    return await runRecorded(context, asked);
  } finally {
    await context.close();
  }
}

/** Whether the shell has the settings of a relay. */
const hasSettings = ({ SERVICE_URL, PORCHLIGHT_CONFIG }: Terminal["env"]): boolean =>
  (SERVICE_URL ?? PORCHLIGHT_CONFIG ?? "") !== "";

/** The settings of the shell, for when no relay runs. @throws CommandError that says how to find a relay */
function ownSettings(env: Terminal["env"], places: readonly Place[]): Settings {
  const foreign = foreignRelay(places);
  if (foreign !== undefined)
    throw new CommandError(
      `The relay of ${foreign.dataDir} belongs to another user (uid ${foreign.owner}): if you trust that user, set DATA_DIR=${foreign.dataDir}.`,
    );
  const unreachable = unreachableRelay(places);
  if (unreachable !== undefined)
    throw new CommandError(
      `The relay of ${unreachable.dataDir} (process ${unreachable.pid}) runs, but accepts no commands from here: run this as the relay's user, in its container, or again once it has started.`,
    );
  if (hasSettings(env)) return settings(env);
  throw new CommandError(
    `No relay answers on ${places.map(({ dataDir }) => dataDir).join(", ")}: set DATA_DIR to the data folder of the running relay (as its user or as root), or start a relay.`,
  );
}

/** Runs a command in the running relay; without one, on the data of the settings. */
async function runCommand(argv: readonly string[], shell: Terminal, parts: CliParts): Promise<Result> {
  const { name, command, given } = commandIn(argv);
  if (command.place === "alone") return command.run(given);
  const places = placesFor(shell.env.DATA_DIR);
  const found = (await findRelay(places)) ?? (hasSettings(shell.env) ? undefined : await awaitRelay(places));
  if (found === undefined) {
    const own = ownSettings(shell.env, places);
    const result = await runOnData({ name, command, given }, own, parts);
    shell.err(`No relay runs on ${own.dataDir}, so the settings are those of this shell.`);
    return result;
  }
  printRelay(found, places, shell);
  return command.place === "here"
    ? runOnData({ name, command, given }, found.settings, parts)
    : runOver(found.socket, argv);
}

/** Prints which relay is used, unless it is the relay of the first data folder that was searched. */
function printRelay({ dataDir, holder }: RunningRelay, [first]: readonly Place[], { err }: Terminal): void {
  if (dataDir !== first?.dataDir) err(`Using the relay of ${dataDir} (process ${holder.pid}).`);
}

function print({ data, lines, code = 0 }: Result, json: boolean, { out }: Terminal): ExitCode {
  for (const line of json ? [JSON.stringify(data, null, 2)] : lines) out(line);
  return code;
}

/** The versions of relay and runtime. */
function version(): Result {
  const file = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const data = { porchlight: (JSON.parse(file) as { version: string }).version, node: process.versions.node };
  return { data, lines: [`porchlight ${data.porchlight} (Node ${data.node})`] };
}

async function runLine(argv: readonly string[], shell: Terminal, parts: CliParts): Promise<number | undefined> {
  const { name, rest } = splitCommandLine(argv);
  const json = argv.includes("--json");
  if (name === "--version") return print(version(), json, shell);
  if (name === "sandbox") return sandbox(rest);
  if (name === "help" || argv.some((arg) => arg === "--help" || arg === "-h")) {
    if (name === "help") checkCount(PROGRAMS.help, parseArguments({ options: { help: { type: "boolean" } } }, rest));
    const word = (name === "help" ? rest : argv).find((arg) => !arg.startsWith("-"));
    const found = word === undefined ? help(ALL) : helpOn(ALL, word);
    if (found === undefined) throw unknownCommand(word ?? "");
    return print(found, json, shell);
  }
  if (Object.hasOwn(COMMANDS, name)) return print(await runCommand(argv, shell, parts), json, shell);
  if (name !== "serve") throw unknownCommand(name);
  checkCount(PROGRAMS.serve, parseArguments({ options: {} }, rest));
  await parts.serve(settings(shell.env));
  return undefined;
}

/** The shell, with output that cannot control the terminal: names and error texts come from other people. */
const withPrintableOutput = ({ env, out, err }: Terminal): Terminal => ({
  env,
  out: (line) => out(printable(line)),
  err: (line) => err(printable(line)),
});

/**
 * Runs one command line.
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage or settings, 3 done but a person must act; undefined while a relay
 * runs
 */
export async function runCommandLine(
  argv: readonly string[],
  given: Terminal,
  parts: CliParts,
): Promise<number | undefined> {
  const shell = withPrintableOutput(given);
  try {
    return await runLine(argv, shell, parts);
  } catch (error) {
    const { message, stack, syscall } = error as NodeJS.ErrnoException;
    // The system's errors are for the user; only an unexpected error shows its stack.
    const plain = error instanceof CommandError || syscall !== undefined;
    const code = error instanceof CommandError ? error.code : 1;
    shell.err(
      argv.includes("--json") ? JSON.stringify({ error: message, code }) : plain ? message : (stack ?? message),
    );
    return code;
  }
}
