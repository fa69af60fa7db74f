import type { ParseArgsOptionsConfig } from "node:util";
import { amountOf } from "../base/amount.ts";
import { emailOf } from "../base/input-text.ts";
import type { CommandContext } from "./context.ts";
import type { DataProblem } from "./data-errors.ts";
import { CommandError, type ExitCode } from "./error.ts";

/** The result of a command: data for `--json`, lines for people, and the exit code (default 0). */
export type Result = { data: unknown; lines: readonly string[]; code?: ExitCode };

export type CommandArgs = {
  args: readonly string[];
  /** The text of an option; `undefined` when it is not given. */
  text: (name: string) => string | undefined;
  flag: (name: string) => boolean;
};

type Described = {
  usage: string;
  help: string;
  options?: ParseArgsOptionsConfig;
  /** Checks the arguments before the command looks for a relay. @throws CommandError that names the wrong argument */
  check?: (given: CommandArgs) => void;
};

/** A command that uses the data of a relay. */
export type RelayCommand = Described & {
  /** `here`: it writes files, so it runs in this process with the relay's settings. Default: inside the running relay. */
  place?: "here";
  run: (context: CommandContext, given: CommandArgs) => Promise<Result>;
  /**
   * What the command changed, for its entry in the audit log: ids and names, never visitors' texts. Absent for a command that
   * changes nothing, and for one that adds its own entries because they contain counts.
   */
  subject?: (given: CommandArgs) => string;
  /** The result when the data cannot be opened. Default: an error. */
  unopened?: (problem: DataProblem) => Result;
};
/** A command that works without a relay. */
export type StandaloneCommand = Described & { place: "alone"; run: (given: CommandArgs) => Promise<Result> };
export type Command = RelayCommand | StandaloneCommand;

/** The option that names a site; see `CommandContext.site`. */
export const SITE_OPTION = { site: { type: "string" } } as const;

/** The positional arguments and the site or account of a command, for the audit log. */
export const allArguments = ({ args, text }: CommandArgs): string =>
  [...args, text("site"), text("account")].filter((part) => part !== undefined).join(" ");

/** The positional arguments by name. @throws CommandError unless their number is right */
export function positionals<const Names extends readonly string[]>(
  { args }: CommandArgs,
  ...names: Names
): Record<Names[number], string> {
  if (args.length !== names.length)
    throw new CommandError(`Needed: ${names.map((name) => `<${name}>`).join(" ")}. See porchlight help.`, 2);
  return Object.fromEntries(names.map((name, i) => [name, args[i] ?? ""])) as Record<Names[number], string>;
}

/** The text of a required option. @throws CommandError when it is missing */
export function requiredOption({ text }: CommandArgs, name: string): string {
  const value = text(name);
  if (value === undefined) throw new CommandError(`--${name} is needed. See porchlight help.`, 2);
  return value;
}

/** Parses an amount of credits. @param name the argument, for the error @throws CommandError for any other text */
export function amountIn(name: string, text: string): number {
  const amount = amountOf(text);
  if (amount === undefined) throw new CommandError(`${name}: "${text}" is not an amount like 20 or 12.50.`, 2);
  return amount;
}

/** The value of `--wait` in seconds. @throws CommandError unless it is a number, 0 or more */
export function waitSeconds({ text }: CommandArgs, standard: number): number {
  const given = text("wait");
  const seconds = given === undefined ? standard : Number(given || Number.NaN);
  if (!Number.isFinite(seconds) || seconds < 0)
    throw new CommandError(`--wait: "${given}" is not a number of seconds.`, 2);
  return seconds;
}

/** Checks an optional email address. @param name the argument, for the error @throws CommandError for any other text */
export function checkEmail(name: string, text: string | undefined): void {
  if (text !== undefined && emailOf(text) === undefined)
    throw new CommandError(`${name}: "${text}" is not an email address like client@example.com.`, 2);
}

/** Formats rows as a table with headings and aligned columns. */
export function table(headings: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string[] {
  const all = [headings, ...rows.map((row) => row.map((cell) => String(cell ?? "")))];
  const widths = headings.map((_, i) => Math.max(...all.map((row) => (row[i] ?? "").length)));
  return all.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
