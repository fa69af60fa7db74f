#!/usr/bin/env node
import { runCommandLine } from "./cli/main.ts";

const code = await runCommandLine(process.argv.slice(2), { env: process.env, out: console.log, err: console.error });
process.exitCode = code;
// A command that failed may have left something open.
if (code === 1 || code === 2) process.exit();
