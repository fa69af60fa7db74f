#!/usr/bin/env node
import { parseArgs } from "node:util";
import { readSettings, type Settings } from "./base/config.ts";
import { BACKUP } from "./cli/backup.ts";
import { BLOCKING } from "./cli/blocks.ts";
import { CLIENT } from "./cli/client.ts";
import { type Command, Complaint, type ExitCode, type Given, type Result } from "./cli/command.ts";
import { CREDITS } from "./cli/credits.ts";
import { DATA } from "./cli/data.ts";
import { DELIVERIES } from "./cli/deliveries.ts";
import { DOCTOR } from "./cli/doctor.ts";
import { help, helpOn } from "./cli/help.ts";
import { LEADS } from "./cli/leads.ts";
import { MAIL } from "./cli/mail.ts";
import { openOffice } from "./cli/office.ts";
import { PEOPLE } from "./cli/people.ts";
import { sandbox } from "./cli/sandbox.ts";
import { SITES } from "./cli/sites.ts";
import { TOKENS } from "./cli/tokens.ts";
import { TRY } from "./cli/try.ts";
import { unusable } from "./cli/unusable.ts";

const COMMANDS: Record<string, Command> = {
  ...DOCTOR,
  ...TRY,
  ...SITES,
  ...TOKENS,
  ...PEOPLE,
  ...LEADS,
  ...MAIL,
  ...BLOCKING,
  ...CREDITS,
  ...DELIVERIES,
  ...DATA,
  ...BACKUP,
  ...CLIENT,
};
const PROGRAMS = {
  serve: { usage: "", help: "runs the relay, with its settings from the environment" },
  sandbox: {
    usage: "[--profile <profile>] …",
    help: "runs the sandbox of the messaging service, on port 8788; --profile chaos and more: sandbox --help",
  },
  help: { usage: "[<word>]", help: "says what there is, or what begins with a word" },
};
const ALL = { ...PROGRAMS, ...COMMANDS };

/** What there is instead of a command that there is not. */
function unknown(name: string): Complaint {
  const word = name.split(" ")[0] ?? "";
  const near = Object.keys(COMMANDS).filter((each) => each.split(" ")[0] === word);
  return new Complaint(
    near.length === 0
      ? `No command "${word}". porchlight help lists them all.`
      : `"${word}" needs one more word: ${near.join(", ")}.`,
    2,
  );
}

/** Every setting. @throws Complaint with all that are wrong */
function settings(): Settings {
  const read = readSettings(process.env);
  if ("problems" in read) throw new Complaint(read.problems.join("\n"), 2);
  return read.settings;
}

/** The command of two words or of one, and what follows it; `--json` may stand before it. */
function find(argv: readonly string[]): { name: string; rest: string[] } {
  const [first = "help", second = "", ...rest] = argv[0] === "--json" ? argv.slice(1) : argv;
  return Object.hasOwn(COMMANDS, `${first} ${second}`)
    ? { name: `${first} ${second}`, rest }
    : { name: first, rest: [...(second === "" ? [] : [second]), ...rest] };
}

function parsed(command: Pick<Command, "options">, args: string[]): Given {
  const options = { ...command.options, json: { type: "boolean" } } as const;
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const value = (name: string): unknown => (values as Record<string, unknown>)[name];
    return {
      args: positionals,
      text: (name) => (typeof value(name) === "string" ? String(value(name)) : undefined),
      flag: (name) => value(name) === true,
    };
  } catch (error) {
    throw new Complaint(`${(error as Error).message} See porchlight help.`, 2);
  }
}

/** @throws Complaint when there are more words than the usage has places: a forgotten `--` must not pass unseen */
function fits({ usage }: Pick<Command, "usage">, { args }: Given): void {
  const places = /^(\[?<[^>]+>\]?(\s|$))*/.exec(usage)?.[0].match(/</g)?.length ?? 0;
  if (args.length > places) throw new Complaint(`"${args[places]}" is one word too many. See porchlight help.`, 2);
}

/** Runs a command over the data of the settings. @throws Complaint when they cannot be opened */
async function resultOf(command: Command, given: Given, all: Settings): Promise<Result> {
  const office = await openOffice(all).catch((error: Error) => error);
  if (office instanceof Error) {
    const problem = unusable(office, all);
    if (command.unopened !== undefined) return command.unopened(problem);
    throw new Complaint(`${problem.why}. ${problem.cure} porchlight doctor tells more.`);
  }
  try {
    return await command.run(office, given);
  } finally {
    await office.close();
  }
}

function tell({ data, lines, code = 0 }: Result, json: boolean): ExitCode {
  for (const line of json ? [JSON.stringify(data, null, 2)] : lines) console.log(line);
  return code;
}

async function main(argv: readonly string[]): Promise<number | undefined> {
  const { name, rest } = find(argv);
  const json = argv.includes("--json");
  if (name === "sandbox") return sandbox(rest);
  if (name === "help" || argv.some((arg) => arg === "--help" || arg === "-h")) {
    if (name === "help") fits(PROGRAMS.help, parsed({ options: { help: { type: "boolean" } } }, rest));
    const word = (name === "help" ? rest : argv).find((arg) => !arg.startsWith("-"));
    const found = word === undefined ? help(ALL) : helpOn(ALL, word);
    if (found === undefined) throw unknown(word ?? "");
    return tell(found, json);
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) {
    const given = parsed(command, rest);
    fits(command, given);
    return tell(await resultOf(command, given, settings()), json);
  }
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
  const plain = error instanceof Complaint || syscall !== undefined;
  const code = error instanceof Complaint ? error.code : 1;
  if (process.argv.includes("--json")) console.error(JSON.stringify({ error: message, code }));
  else console.error(plain ? message : stack);
  process.exit(code);
}
