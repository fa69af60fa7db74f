/**
 * Starts the sandbox from the environment: `porchlight sandbox --profile chaos`, or `node relay/sandbox/main.ts`, for
 * owners' own CI and for `npm start`. Every variable can be an option as well, and the option wins: `--rate-limit 0` is
 * SANDBOX_RATE_LIMIT=0. `--help` tells every knob.
 *
 *   SANDBOX_PORT (8788) · SANDBOX_HOST (127.0.0.1) · SANDBOX_OPEN_CONTROL=true lets other machines use its controls
 *   SANDBOX_CALLBACK_URL · SANDBOX_RECHARGE_URL · SANDBOX_PROFILE · SANDBOX_API_KEY · SANDBOX_BOT (faq)
 *   SANDBOX_<ANY_KNOB>: every knob of config.ts in capitals, as JSON or plain text: SANDBOX_RATE_LIMIT=0
 *   SANDBOX_CONFIG: a JSON file of knobs by their own names, over which the environment wins, and of what exists from the
 *   start: {"profile": "observed", "lists": ["leads"], "subAccounts": [{"email": "a@b.example"}], "campaigns": {}}
 */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ConfigError, checkPatch, DEFAULT_KEY, KNOBS, type SandboxConfig } from "./config.ts";
import { seedOf } from "./control.ts";
import { isRecord } from "./knobs.ts";
import type { Seed } from "./operator.ts";
import { startSandbox } from "./server.ts";

const DEFAULT_PORT = 8788;

type Env = Readonly<Record<string, string | undefined>>;

/** `rateLimit` → `SANDBOX_RATE_LIMIT`; the bot's script has a shorter name. */
function variable(knob: string): string {
  if (knob === "botScript") return "SANDBOX_BOT";
  return `SANDBOX_${knob.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** A value as JSON where that gives what the knob takes, else as the text it is: a key may look like a number. */
function readAs(knob: keyof typeof KNOBS, text: string): unknown {
  if (KNOBS[knob].allows(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What the configuration file says: knobs, and what exists from the start (R-244). @throws ConfigError naming the file */
export function fileFrom(env: Env): { knobs: Record<string, unknown>; seed: Seed } {
  const path = env.SANDBOX_CONFIG;
  if (path === undefined || path === "") return { knobs: {}, seed: {} };
  try {
    const content: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isRecord(content)) throw new Error("it must hold a JSON object");
    const { lists, subAccounts, campaigns, ...knobs } = content;
    return { knobs, seed: seedOf({ lists, subAccounts, campaigns }) };
  } catch (error) {
    throw new ConfigError(`SANDBOX_CONFIG, ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The knobs that the file and the environment set. @throws ConfigError naming the knob */
export function configFrom(env: Env): Partial<SandboxConfig> {
  const names = Object.keys(KNOBS) as (keyof typeof KNOBS)[];
  const set = names.flatMap((name) => {
    const text = env[variable(name)];
    return text === undefined || text === "" ? [] : [[name, readAs(name, text)] as const];
  });
  return checkPatch({ botScript: "faq", ...fileFrom(env).knobs, ...Object.fromEntries(set) });
}

/** Settings that are no knobs, and what they take. */
const OWN: Record<string, string> = {
  port: "a port; 0 is any free one",
  host: "an address of this machine",
  "open-control": "true, false",
  config: "a JSON file",
};

/** `rateLimit` → `rate-limit`. */
const option = (knob: string): string => variable(knob).slice("SANDBOX_".length).toLowerCase().replaceAll("_", "-");

/** `--rate-limit 0` as SANDBOX_RATE_LIMIT. @throws ConfigError for what is no setting of the sandbox */
export function optionsIn(args: readonly string[]): { env: Env; help: boolean } {
  const names = [...Object.keys(OWN), ...Object.keys(KNOBS).map(option)];
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  try {
    const { values } = parseArgs({ args: [...args], options: { ...options, help: { type: "boolean" } } });
    const { help = false, ...given } = values as Record<string, string> & { help?: boolean };
    const named = Object.entries(given).map(([name, value]) => [
      `SANDBOX_${name.replaceAll("-", "_").toUpperCase()}`,
      value,
    ]);
    return { env: Object.fromEntries(named) as Env, help };
  } catch (error) {
    throw new ConfigError(`${(error as Error).message} (--help tells every setting.)`);
  }
}

/** Every setting with what it takes. */
export function manual(): string {
  const knobs = (Object.keys(KNOBS) as (keyof typeof KNOBS)[]).map((name) => {
    const { help, allowed, initial } = KNOBS[name];
    return `  --${option(name)} (${JSON.stringify(initial)})\n      ${help}: ${allowed}`;
  });
  const own = Object.entries(OWN).map(([name, takes]) => `  --${name}\n      ${takes}`);
  return ["The sandbox of the messaging service. Each option is a variable SANDBOX_… too.\n", ...own, ...knobs].join(
    "\n",
  );
}

async function main(env: Env): Promise<void> {
  const sandbox = await startSandbox({
    port: Number(env.SANDBOX_PORT ?? DEFAULT_PORT),
    host: env.SANDBOX_HOST ?? "127.0.0.1",
    openControl: env.SANDBOX_OPEN_CONTROL === "true",
    config: configFrom(env),
  });
  sandbox.seed(fileFrom(env).seed);
  const key = sandbox.config.apiKey === DEFAULT_KEY ? DEFAULT_KEY : "as SANDBOX_API_KEY says";
  console.log(`Sandbox of the messaging service: nothing here reaches a real account.
  Service  ${sandbox.url}   (SERVICE_URL of the relay)
  API key  ${key}
  Inbox    ${sandbox.origin}/   (answer visitors as a person)
  Replies  ${sandbox.config.callbackUrl === "" ? "nowhere yet: set SANDBOX_CALLBACK_URL" : "to SANDBOX_CALLBACK_URL"}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void sandbox.close());
}

async function start(args: readonly string[]): Promise<void> {
  const { env, help } = optionsIn(args);
  if (help) console.log(manual());
  else await main({ ...process.env, ...env });
}

if (import.meta.main) {
  start(process.argv.slice(2)).catch((error: unknown) => {
    const busy = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    const wrong = error instanceof ConfigError ? error.message : String(error);
    console.error(busy ? "The sandbox's port is taken: set SANDBOX_PORT to another one." : wrong);
    // As the command line's own: 2 for a wrong setting.
    process.exitCode = error instanceof ConfigError ? 2 : 1;
  });
}
