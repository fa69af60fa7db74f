import type { ParseArgsOptionsConfig } from "node:util";
import { amountOf } from "../base/amount.ts";
import type { Office } from "./office.ts";
import type { Unusable } from "./unusable.ts";

/** What a command leaves behind: data for `--json`, lines for people, and the exit code. */
export type Result = { data: unknown; lines: readonly string[]; code?: ExitCode };

/** 0: done. 1: it failed. 2: the command or a setting is wrong. 3: done, and something needs a person. */
export type ExitCode = 0 | 1 | 2 | 3;

export type Given = {
  args: readonly string[];
  /** An option's text, or nothing. */
  text: (name: string) => string | undefined;
  flag: (name: string) => boolean;
};

type Described = { usage: string; help: string; options?: ParseArgsOptionsConfig };

/** A command that works with a relay's records. */
export type OfficeCommand = Described & {
  /** It runs inside the relay that runs, or, because it writes files, in this process with that relay's settings. */
  place?: "here";
  run: (office: Office, given: Given) => Promise<Result>;
  /** What it says where the data cannot be opened at all. */
  unopened?: (unusable: Unusable) => Result;
};
/** A command that needs no relay. */
export type LoneCommand = Described & { place: "alone"; run: (given: Given) => Promise<Result> };
export type Command = OfficeCommand | LoneCommand;

/** A sentence for the person at the keyboard, and the exit code that goes with it. */
export class Complaint extends Error {
  readonly code: ExitCode;

  constructor(message: string, code: ExitCode = 1) {
    super(message);
    this.code = code;
  }
}

/** The arguments by name. @throws Complaint when one is missing */
export function named<const Names extends readonly string[]>(
  { args }: Given,
  ...names: Names
): Record<Names[number], string> {
  if (args.length !== names.length)
    throw new Complaint(`Needed: ${names.map((name) => `<${name}>`).join(" ")}. See porchlight help.`, 2);
  return Object.fromEntries(names.map((name, i) => [name, args[i] ?? ""])) as Record<Names[number], string>;
}

/** An option that must be there. @throws Complaint when it is not */
export function needed({ text }: Given, name: string): string {
  const value = text(name);
  if (value === undefined) throw new Complaint(`--${name} is needed. See porchlight help.`, 2);
  return value;
}

/** @throws Complaint when the text is no amount of credits */
export function amountIn(text: string): number {
  const amount = amountOf(text);
  if (amount === undefined) throw new Complaint(`"${text}" is no amount like 20 or 12.50.`, 2);
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
