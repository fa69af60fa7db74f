import type { ParseArgsOptionsConfig } from "node:util";
import { amountOf } from "../base/amount.ts";
import type { CommandContext } from "./context.ts";
import { CommandError, type ExitCode } from "./error.ts";
import type { Unusable } from "./unusable.ts";

/** What a command leaves behind: data for `--json`, lines for people, and the exit code. */
export type Result = { data: unknown; lines: readonly string[]; code?: ExitCode };

export type Given = {
  args: readonly string[];
  /** An option's text, or nothing. */
  text: (name: string) => string | undefined;
  flag: (name: string) => boolean;
};

type Described = { usage: string; help: string; options?: ParseArgsOptionsConfig };

/** A command that works with a relay's records. */
export type RelayCommand = Described & {
  /** It runs inside the relay that runs, or, because it writes files, in this process with that relay's settings. */
  place?: "here";
  run: (context: CommandContext, given: Given) => Promise<Result>;
  /** What it says where the data cannot be opened at all. */
  unopened?: (unusable: Unusable) => Result;
};
/** A command that needs no relay. */
export type StandaloneCommand = Described & { place: "alone"; run: (given: Given) => Promise<Result> };
export type Command = RelayCommand | StandaloneCommand;

/** The arguments by name. @throws CommandError when one is missing */
export function named<const Names extends readonly string[]>(
  { args }: Given,
  ...names: Names
): Record<Names[number], string> {
  if (args.length !== names.length)
    throw new CommandError(`Needed: ${names.map((name) => `<${name}>`).join(" ")}. See porchlight help.`, 2);
  return Object.fromEntries(names.map((name, i) => [name, args[i] ?? ""])) as Record<Names[number], string>;
}

/** An option that must be there. @throws CommandError when it is not */
export function needed({ text }: Given, name: string): string {
  const value = text(name);
  if (value === undefined) throw new CommandError(`--${name} is needed. See porchlight help.`, 2);
  return value;
}

/** @throws CommandError when the text is no amount of credits */
export function amountIn(text: string): number {
  const amount = amountOf(text);
  if (amount === undefined) throw new CommandError(`"${text}" is no amount like 20 or 12.50.`, 2);
  return amount;
}

/** Rows under their headings, each column as wide as it must be. */
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
