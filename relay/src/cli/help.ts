import { settingsHelp } from "../base/config.ts";
import type { Command, Result } from "./command.ts";
import type { ExitCode } from "./error.ts";

/** A command, or a program such as `serve`. */
type Named = Pick<Command, "usage" | "help">;

/** The meaning of the exit codes. */
const EXIT_CODES: Record<ExitCode, string> = {
  0: "done",
  1: "failed",
  2: "wrong command or setting",
  3: "done, but a person must act: something is unknown, refused or unfinished",
};

const shown = (name: string, { usage, help }: Named): string => `  ${`${name} ${usage}`.trim()}\n      ${help}`;
const listed = ([name, { usage, help }]: [string, Named]) => ({ name, usage, help });

/** Help on the commands that begin with a word; `undefined` when there are none. */
export function helpOn(all: Record<string, Named>, word: string): Result | undefined {
  const found = Object.entries(all).filter(([name]) => name.split(" ")[0] === word);
  if (found.length === 0) return undefined;
  return { data: { commands: found.map(listed) }, lines: found.map(([name, command]) => shown(name, command)) };
}

/** The complete help: commands, exit codes, settings. */
export function help(all: Record<string, Named>): Result {
  const commands = Object.entries(all);
  const settings = settingsHelp();
  const codes = Object.entries(EXIT_CODES).map(([code, words]) => `  ${code}  ${words}`);
  return {
    data: { commands: commands.map(listed), exitCodes: EXIT_CODES, settings },
    lines: [
      "porchlight <command> [--json]",
      "",
      "Exit codes:",
      "",
      ...codes,
      "",
      ...commands.map(([name, command]) => shown(name, command)),
      "",
      "Settings, from the environment:",
      "",
      ...settings.map(({ env, fallback, help }) => shown(env, { usage: fallback === "" ? "" : `(${fallback})`, help })),
    ],
  };
}
