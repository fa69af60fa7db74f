#!/usr/bin/env node
import { parseArgs } from "node:util";
import { readSettings, type Settings, settingsHelp } from "./base/config.ts";
import { BACKUP } from "./cli/backup.ts";
import { BLOCKING } from "./cli/blocks.ts";
import { CLIENT } from "./cli/client.ts";
import { type Command, Complaint, type Given, type Result } from "./cli/command.ts";
import { CREDITS } from "./cli/credits.ts";
import { DATA } from "./cli/data.ts";
import { DELIVERIES } from "./cli/deliveries.ts";
import { DOCTOR } from "./cli/doctor.ts";
import { MAIL } from "./cli/mail.ts";
import { openOffice } from "./cli/office.ts";
import { PEOPLE } from "./cli/people.ts";
import { sandbox } from "./cli/sandbox.ts";
import { SITES } from "./cli/sites.ts";
import { TOKENS } from "./cli/tokens.ts";
import { TRY } from "./cli/try.ts";

const COMMANDS: Record<string, Command> = {
  ...DOCTOR,
  ...TRY,
  ...SITES,
  ...TOKENS,
  ...PEOPLE,
  ...MAIL,
  ...BLOCKING,
  ...CREDITS,
  ...DELIVERIES,
  ...DATA,
  ...BACKUP,
  ...CLIENT,
};
const PROGRAMS = {
  serve: "runs the relay, with its settings from the environment",
  sandbox: "runs the sandbox of the messaging service, on port 8788; --profile chaos and more: sandbox --help",
  help: "says what there is",
};

const say = (name: string, usage: string, words: string): void =>
  console.log(`  ${`${name} ${usage}`.trim()}\n      ${words}`);

function help(): void {
  console.log(
    "porchlight <command> [--json]\n\nExit codes: 0 done, 1 failed, 2 wrong command or setting, 3 a person must look\n",
  );
  for (const [name, words] of Object.entries(PROGRAMS)) say(name, "", words);
  for (const [name, command] of Object.entries(COMMANDS)) say(name, command.usage, command.help);
  console.log("\nSettings, from the environment:\n");
  for (const { env, fallback, help } of settingsHelp()) say(env, fallback === "" ? "" : `(${fallback})`, help);
}

/** Help about the commands that begin with this word; about all of them when none does. */
function helpOn(word: string): void {
  const found = Object.entries(COMMANDS).filter(([name]) => name.split(" ")[0] === word);
  if (found.length === 0) return help();
  for (const [name, command] of found) say(name, command.usage, command.help);
}

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

/** The command of two words or of one, and what follows it. */
function find([first = "help", second = "", ...rest]: readonly string[]): { name: string; rest: string[] } {
  return Object.hasOwn(COMMANDS, `${first} ${second}`)
    ? { name: `${first} ${second}`, rest }
    : { name: first, rest: [...(second === "" ? [] : [second]), ...rest] };
}

function parsed(command: Command, args: string[]): Given & { json: boolean } {
  const options = { ...command.options, json: { type: "boolean" } } as const;
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const value = (name: string): unknown => (values as Record<string, unknown>)[name];
    return {
      args: positionals,
      text: (name) => (typeof value(name) === "string" ? String(value(name)) : undefined),
      flag: (name) => value(name) === true,
      json: values.json === true,
    };
  } catch (error) {
    throw new Complaint(`${(error as Error).message} See porchlight help.`, 2);
  }
}

/** Runs a command over the data of the settings. @throws Complaint when they cannot be opened */
async function resultOf(command: Command, given: Given, all: Settings): Promise<Result> {
  const office = await openOffice(all).catch((error: Error) => error);
  if (office instanceof Error) {
    const { message } = office;
    const named = settingsHelp().some(({ env }) => message.startsWith(`${env}: `));
    const why = named ? message : `DATA_DIR: ${all.dataDir} cannot be used: ${message}`;
    if (command.unopened !== undefined) return command.unopened(why);
    throw new Complaint(`${why}. porchlight doctor tells more.`);
  }
  try {
    return await command.run(office, given);
  } finally {
    await office.close();
  }
}

async function carryOut(command: Command, args: string[]): Promise<number> {
  const given = parsed(command, args);
  const result = await resultOf(command, given, settings());
  for (const line of given.json ? [JSON.stringify(result.data, null, 2)] : result.lines) console.log(line);
  return result.code ?? 0;
}

async function main(argv: readonly string[]): Promise<number | undefined> {
  const { name, rest } = find(argv);
  if (["help", "--help", "-h"].includes(name)) {
    helpOn(rest[0] ?? "");
    return 0;
  }
  if (name === "sandbox") return sandbox(rest);
  if (rest.includes("--help")) {
    helpOn(argv[0] ?? "");
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return carryOut(command, rest);
  if (name === "serve") {
    const { serve } = await import("./cli/serve.ts");
    await serve(settings());
    return undefined;
  }
  throw unknown(name);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const { message, stack } = error as Error;
  const code = error instanceof Complaint ? error.code : 1;
  if (process.argv.includes("--json")) console.error(JSON.stringify({ error: message, code }));
  else console.error(error instanceof Complaint ? message : stack);
  process.exit(code);
}
