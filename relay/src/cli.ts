#!/usr/bin/env node
import type { Settings } from "./base/config.ts";
import { runCommandLine } from "./cli/main.ts";
import { openContext } from "./cli/open-context.ts";

/** Loads the relay only when it is to run, so that the other commands start faster. */
async function serve(settings: Settings): Promise<void> {
  const { createRelay } = await import("./relay.ts");
  const command = await import("./cli/serve.ts");
  await command.serve(settings, createRelay);
}

const shell = { env: process.env, out: console.log, err: console.error };
const code = await runCommandLine(process.argv.slice(2), shell, { openContext, serve });
process.exitCode = code;
// A command that failed may have left something open.
if (code === 1 || code === 2) process.exit();
