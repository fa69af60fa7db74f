import { expect, it } from "vitest";
import { type CliParts, runCommandLine } from "./main.ts";

/** These command lines need neither data nor a relay. */
const unexpected = (): never => {
  throw new Error("Not expected here");
};
const NONE: CliParts = { openContext: unexpected, serve: unexpected };

/** A shell that records what is printed. */
function shell() {
  const printed: string[] = [];
  const write = (line: string): void => void printed.push(line);
  return { printed, env: {}, out: write, err: write };
}

it("prints nothing that a terminal takes for a command, also not as JSON (A31)", async () => {
  const name = "dance\u001b[2J\u009b31m\u202e";
  for (const more of [[], ["--json"]]) {
    const terminal = shell();
    expect(await runCommandLine([name, ...more], terminal, NONE)).toBe(2);
    expect(terminal.printed.join("\n")).toContain("dance\\u001b[2J\\u009b31m\\u202e");
    expect(terminal.printed.join("\n")).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  }
});

it("prints everything else as it is", async () => {
  const terminal = shell();
  expect(await runCommandLine(["help", "send"], terminal, NONE)).toBe(0);
  expect(terminal.printed.join("\n")).toContain("  send <text> --user <id>|--visitor <id>");
});

/** Command lines with a wrong argument, and the start of the error that names it. */
const WRONG_ARGUMENTS: [argv: string[], error: string][] = [
  [["send", "hello"], "Either --user or --visitor is needed."],
  [["send", "hello", "--user", "ada", "--visitor", "v_1"], "Either --user or --visitor is needed."],
  [["send", "--user", "ada"], "<text> is missing."],
  [["send", "hello", "--user", "ada", "--email", "nobody"], '--email: "nobody" is not an email address'],
  [["send", "hello", "--user", "ada", "--wait", "soon"], '--wait: "soon" is not a number of seconds.'],
  [["send", "resolve", "key", "--sent"], "--reason is needed."],
  [["erase", "--visitor", "v_1"], "Unknown option '--visitor'. See porchlight help."],
  [["try", "--wait"], "Option '--wait <value>' argument missing. See porchlight help."],
  [["try", "--wait", "--json"], "Option '--wait' argument is ambiguous. See porchlight help."],
  [["credits", "grant", "client@example.com"], "<amount> is missing."],
  [["credits", "grant", "client@example.com", "many"], '<amount>: "many" is not an amount'],
  [["credits", "grant", "nobody", "20"], '<email>: "nobody" is not an email address'],
  [["credits", "approve", "key", "--reason", "ok", "--amount", "many"], '--amount: "many" is not an amount'],
  [["credits", "resolve", "key", "--reason", "ok"], "Either --granted or --not-granted is needed."],
  [["credits", "dismiss", "key"], "--reason is needed."],
  [["token", "add"], "<name> is missing."],
  [["token", "add", "backend", "--scopes", "everything"], '--scopes: "everything" is not a scope.'],
  [["try", "hello", "--wait", "-"], '--wait: "-" is not a number of seconds.'],
];

it.each(WRONG_ARGUMENTS)("names the wrong argument of %j before it looks for a relay", async (argv, error) => {
  const terminal = shell();
  expect(await runCommandLine(argv, terminal, NONE)).toBe(2);
  expect(terminal.printed).toEqual([expect.stringContaining(error)]);
});
