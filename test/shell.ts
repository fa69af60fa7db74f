import { type CliParts, runCommandLine } from "../relay/src/cli/main.ts";
import { openContext } from "../relay/src/cli/open-context.ts";
import { serve } from "../relay/src/cli/serve.ts";
import { createRelay } from "../relay/src/relay.ts";
import { type Harness, KEY } from "./harness.ts";

export type Run = { code: number; out: string; err: string };

/** The same parts as in `relay/src/cli.ts`. */
const PARTS: CliParts = { openContext, serve: (settings) => serve(settings, createRelay) };

/** Runs `porchlight` in the test's own process, with exactly these variables as its environment. */
export async function runCommand(args: readonly string[], env: Record<string, string>): Promise<Run> {
  let [out, err] = ["", ""];
  const shell = {
    env,
    out(line: string) {
      out += `${line}\n`;
    },
    err(line: string) {
      err += `${line}\n`;
    },
  };
  const code = await runCommandLine(args, shell, PARTS);
  return { code: code ?? 0, out, err };
}

/** Runs a command with the settings of a harness's relay as its environment. */
export function porchlight(harness: Harness, args: string[], env: Record<string, string> = {}): Promise<Run> {
  return runCommand(args, {
    DATA_DIR: harness.dataDir,
    PORT: new URL(harness.url).port,
    SERVICE_URL: harness.serviceUrl,
    SERVICE_API_KEY: KEY,
    CALLBACK_SECRET: harness.callbackUrl.split("/").at(-1) ?? "",
    ALLOWED_ORIGINS: harness.host,
    ...env,
  });
}
