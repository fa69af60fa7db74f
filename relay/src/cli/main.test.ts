import { expect, it } from "vitest";
import { runCommandLine } from "./main.ts";

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
    expect(await runCommandLine([name, ...more], terminal)).toBe(2);
    expect(terminal.printed.join("\n")).toContain("dance\\u001b[2J\\u009b31m\\u202e");
    expect(terminal.printed.join("\n")).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  }
});

it("prints everything else as it is", async () => {
  const terminal = shell();
  expect(await runCommandLine(["help", "send"], terminal)).toBe(0);
  expect(terminal.printed.join("\n")).toContain("  send <text> --user <id>|--visitor <id>");
});
