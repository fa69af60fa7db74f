import { parseArgs } from "node:util";
import { BACKUP } from "./backup.ts";
import { BLOCKING } from "./blocks.ts";
import { CLIENT } from "./client.ts";
import type { Command, Given, Result } from "./command.ts";
import type { CommandContext } from "./context.ts";
import { CREDITS } from "./credits.ts";
import { DATA } from "./data.ts";
import { DELIVERIES } from "./deliveries.ts";
import { DOCTOR } from "./doctor.ts";
import { CommandError } from "./error.ts";
import { LEADS } from "./leads.ts";
import { MAIL } from "./mail.ts";
import { PEOPLE } from "./people.ts";
import { SITES } from "./sites.ts";
import { TOKENS } from "./tokens.ts";
import { TRY } from "./try.ts";

/** Every command by its name of one word or two. */
export const COMMANDS: Readonly<Record<string, Command>> = {
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

/** What there is instead of a command that there is not. */
export function unknown(name: string): CommandError {
  const word = name.split(" ")[0] ?? "";
  const near = Object.keys(COMMANDS).filter((each) => each.split(" ")[0] === word);
  return new CommandError(
    near.length === 0
      ? `No command "${word}". porchlight help lists them all.`
      : `"${word}" needs one more word: ${near.join(", ")}.`,
    2,
  );
}

/** The command of two words or of one, and what follows it; `--json` may stand before it. */
export function find(argv: readonly string[]): { name: string; rest: string[] } {
  const [first = "help", second = "", ...rest] = argv[0] === "--json" ? argv.slice(1) : argv;
  return Object.hasOwn(COMMANDS, `${first} ${second}`)
    ? { name: `${first} ${second}`, rest }
    : { name: first, rest: [...(second === "" ? [] : [second]), ...rest] };
}

/** What was given to a command. @throws CommandError when an option is not one of its own */
export function parsed(command: Pick<Command, "options">, args: string[]): Given {
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
    throw new CommandError(`${(error as Error).message} See porchlight help.`, 2);
  }
}

/** @throws CommandError when there are more words than the usage has places: a forgotten `--` must not pass unseen */
export function fits({ usage }: Pick<Command, "usage">, { args }: Given): void {
  const places = /^(\[?<[^>]+>\]?(\s|$))*/.exec(usage)?.[0].match(/</g)?.length ?? 0;
  if (args.length > places) throw new CommandError(`"${args[places]}" is one word too many. See porchlight help.`, 2);
}

/** A command and what was given to it. @throws CommandError when there is no such command, or it is not called so */
export function commandIn(argv: readonly string[]): { command: Command; given: Given } {
  const { name, rest } = find(argv);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw unknown(name);
  const given = parsed(command, rest);
  fits(command, given);
  return { command, given };
}

/** Runs a command on the records of a relay. @throws CommandError with what the person at the keyboard must know */
export async function runOn(context: CommandContext, argv: readonly string[]): Promise<Result> {
  const { command, given } = commandIn(argv);
  return command.place === "alone" ? command.run(given) : command.run(context, given);
}
