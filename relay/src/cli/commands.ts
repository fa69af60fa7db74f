import { parseArgs } from "node:util";
import { record } from "./audit.ts";
import { BACKUP } from "./backup.ts";
import { BLOCKING } from "./blocks.ts";
import { CLIENT } from "./client.ts";
import type { Command, CommandArgs, RelayCommand, Result } from "./command.ts";
import { CONTACTS } from "./contacts.ts";
import type { CommandContext } from "./context.ts";
import { CREDITS } from "./credits.ts";
import { DATA } from "./data.ts";
import { DELIVERIES } from "./deliveries.ts";
import { DOCTOR } from "./doctor.ts";
import { CommandError } from "./error.ts";
import { LEADS } from "./leads.ts";
import { MAIL } from "./mail.ts";
import { MOVE } from "./move.ts";
import { RELOAD } from "./reload.ts";
import { RETENTION } from "./retention.ts";
import { SITES } from "./sites.ts";
import { SPOOLS } from "./spools.ts";
import { TOKENS } from "./tokens.ts";
import { TRY } from "./try.ts";

/** Every command by its name, which has one or two words. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  ...DOCTOR,
  ...TRY,
  ...SITES,
  ...TOKENS,
  ...CONTACTS,
  ...LEADS,
  ...MAIL,
  ...BLOCKING,
  ...CREDITS,
  ...DELIVERIES,
  ...DATA,
  ...BACKUP,
  ...MOVE,
  ...SPOOLS,
  ...RELOAD,
  ...RETENTION,
  ...CLIENT,
};

/** The error for an unknown command. For the first word of longer commands, it lists these. */
export function unknownCommand(name: string): CommandError {
  const word = name.split(" ")[0] ?? "";
  const subcommands = Object.keys(COMMANDS).filter((each) => each.split(" ")[0] === word);
  return new CommandError(
    subcommands.length === 0
      ? `Unknown command "${word}". porchlight help lists all commands.`
      : `"${word}" is incomplete. Commands: ${subcommands.join(", ")}.`,
    2,
  );
}

/** Splits a command line into the name of the command and the rest. `--json` may come first. */
export function splitCommandLine(argv: readonly string[]): { name: string; rest: string[] } {
  const [first = "help", second = "", ...rest] = argv[0] === "--json" ? argv.slice(1) : argv;
  return Object.hasOwn(COMMANDS, `${first} ${second}`)
    ? { name: `${first} ${second}`, rest }
    : { name: first, rest: [...(second === "" ? [] : [second]), ...rest] };
}

/** Parses the arguments of a command. @throws CommandError for an unknown option */
export function parseArguments(command: Pick<Command, "options">, args: string[]): CommandArgs {
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
    // Only the first sentence of Node's message is for users; the others are advice for programmers.
    const [reason] = (error as Error).message.split(/\.\s/);
    throw new CommandError(`${reason}. See porchlight help.`, 2);
  }
}

/**
 * Checks the number of positional arguments against the usage, where `[<…>]` is optional.
 * @throws CommandError that names the missing argument, or the first one too many (a forgotten `--`, for example)
 */
export function checkCount({ usage }: Pick<Command, "usage">, { args }: CommandArgs): void {
  const places = /^(\[?<[^>]+>\]?(\s|$))*/.exec(usage)?.[0].match(/\[?<[^>]+>/g) ?? [];
  const missing = places[args.length];
  if (missing?.startsWith("<")) throw new CommandError(`${missing} is missing. See porchlight help.`, 2);
  if (args.length > places.length)
    throw new CommandError(`Unexpected argument "${args[places.length]}". See porchlight help.`, 2);
}

/** Finds the command of a command line, and parses and checks its arguments. @throws CommandError when one is invalid */
export function commandIn(argv: readonly string[]): { name: string; command: Command; given: CommandArgs } {
  const { name, rest } = splitCommandLine(argv);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw unknownCommand(name);
  const given = parseArguments(command, rest);
  checkCount(command, given);
  command.check?.(given);
  return { name, command, given };
}

/** Runs a command, and adds an entry to the audit log when it changes something. @throws what the command throws */
export async function runRecorded(
  context: CommandContext,
  { name, command, given }: { name: string; command: RelayCommand; given: CommandArgs },
): Promise<Result> {
  const result = await command.run(context, given);
  const subject = command.subject?.(given);
  if (subject !== undefined) await record(context, { action: name, subject });
  return result;
}

/** Runs a command on the data of a relay. @throws CommandError with a message for the user */
export async function runOn(context: CommandContext, argv: readonly string[]): Promise<Result> {
  const { name, command, given } = commandIn(argv);
  return command.place === "alone" ? command.run(given) : runRecorded(context, { name, command, given });
}
