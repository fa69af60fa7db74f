/**
 * Starts the sandbox: `porchlight sandbox --profile chaos`, or `node relay/sandbox/main.ts`, for the owner's CI and for
 * `npm start`. Each setting is an environment variable or a command-line flag; the flag wins. `--rate-limit 0` equals
 * SANDBOX_RATE_LIMIT=0. `--help` lists all.
 *
 *   SANDBOX_PORT (8788) · SANDBOX_HOST (127.0.0.1) · SANDBOX_OPEN_CONTROL=true lets other machines use its controls
 *   SANDBOX_CALLBACK_URL · SANDBOX_RECHARGE_URL · SANDBOX_PROFILE · SANDBOX_API_KEY · SANDBOX_BOT (faq)
 *   SANDBOX_<OPTION>: every option of options.ts in capitals, as JSON or plain text: SANDBOX_RATE_LIMIT=0
 *   SANDBOX_TLS_CERT · SANDBOX_TLS_KEY: PEM files, to serve https as the real service does
 *   SANDBOX_CONFIG: a JSON file with options and seed data. The environment overrides it:
 *   {"profile": "observed", "lists": ["leads"], "subAccounts": [{"email": "a@b.example"}], "campaigns": {}}
 */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isFields } from "@porchlight/shared/json-fields";
import { ConfigError, checkPatch } from "./config.ts";
import { seedOf } from "./control.ts";
import type { Seed } from "./operator.ts";
import { DEFAULT_KEY, OPTIONS, type SandboxConfig } from "./options.ts";
import { startSandbox } from "./server.ts";

const DEFAULT_PORT = 8788;

type Env = Readonly<Record<string, string | undefined>>;

/** The environment variable of an option: `rateLimit` → `SANDBOX_RATE_LIMIT`; `botScript` → `SANDBOX_BOT`. */
function variableOf(option: string): string {
  if (option === "botScript") return "SANDBOX_BOT";
  return `SANDBOX_${option.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Reads the text itself when the option accepts it (a key may look like a number), otherwise JSON. */
function parseValue(option: keyof typeof OPTIONS, text: string): unknown {
  if (OPTIONS[option].allows(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The options and the seed data (R-244) of the configuration file. @throws ConfigError that names the file */
export function fileFrom(env: Env): { options: Record<string, unknown>; seed: Seed } {
  const path = env.SANDBOX_CONFIG;
  if (path === undefined || path === "") return { options: {}, seed: {} };
  try {
    const content: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isFields(content)) throw new Error("it must contain a JSON object");
    const { lists, subAccounts, campaigns, ...options } = content;
    return { options, seed: seedOf({ lists, subAccounts, campaigns }) };
  } catch (error) {
    throw new ConfigError(`SANDBOX_CONFIG, ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The options from the file and the environment. @throws ConfigError that names the option */
export function configFrom(env: Env): Partial<SandboxConfig> {
  const names = Object.keys(OPTIONS) as (keyof typeof OPTIONS)[];
  const set = names.flatMap((name) => {
    const text = env[variableOf(name)];
    return text === undefined || text === "" ? [] : [[name, parseValue(name, text)] as const];
  });
  return checkPatch({ botScript: "faq", ...fileFrom(env).options, ...Object.fromEntries(set) });
}

/** The certificate and its key, when both are given. @throws ConfigError that names the missing or unreadable one */
export function tlsFrom(env: Env): { cert: string; key: string } | undefined {
  const names = ["SANDBOX_TLS_CERT", "SANDBOX_TLS_KEY"] as const;
  if (names.every((name) => !env[name])) return undefined;
  const [cert = "", key = ""] = names.map((name) => {
    try {
      return readFileSync(env[name] ?? "", "utf8");
    } catch (error) {
      throw new ConfigError(`${name}: ${env[name] ? (error as Error).message : "https needs both files"}`);
    }
  });
  return { cert, key };
}

/** Flags of this program that are not options of the sandbox, with their values. */
const PROGRAM_FLAGS: Record<string, string> = {
  port: "a port; 0 is any free one",
  host: "an address of this machine",
  "open-control": "true, false",
  config: "a JSON file",
  "tls-cert": "a PEM file: serves https with this certificate",
  "tls-key": "a PEM file: the certificate's key",
};

/** The command-line flag of an option: `rateLimit` → `rate-limit`. */
const flagOf = (option: string): string =>
  variableOf(option).slice("SANDBOX_".length).toLowerCase().replaceAll("_", "-");

/** Reads the flags as environment variables: `--rate-limit 0` → SANDBOX_RATE_LIMIT. @throws ConfigError for an unknown flag */
export function optionsIn(args: readonly string[]): { env: Env; help: boolean } {
  const names = [...Object.keys(PROGRAM_FLAGS), ...Object.keys(OPTIONS).map(flagOf)];
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
    throw new ConfigError(`${(error as Error).message} (--help lists all settings.)`);
  }
}

/** The text of `--help`: every setting, its default, its meaning and its values. */
export function manual(): string {
  const options = (Object.keys(OPTIONS) as (keyof typeof OPTIONS)[]).map((name) => {
    const { help, allowed, initial } = OPTIONS[name];
    return `  --${flagOf(name)} (${JSON.stringify(initial)})\n      ${help}: ${allowed}`;
  });
  const own = Object.entries(PROGRAM_FLAGS).map(([name, takes]) => `  --${name}\n      ${takes}`);
  return [
    "The sandbox of the messaging service. Each flag is also an environment variable, SANDBOX_…\n",
    ...own,
    ...options,
  ].join("\n");
}

async function main(env: Env): Promise<void> {
  const tls = tlsFrom(env);
  const sandbox = await startSandbox({
    ...(tls && { tls }),
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
  Replies  ${sandbox.config.callbackUrl === "" ? "nowhere yet: give --callback-url" : "to the address of --callback-url"}`);
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
    const message = error instanceof ConfigError ? error.message : String(error);
    console.error(busy ? "The sandbox's port is in use: set SANDBOX_PORT to another one." : message);
    // The same exit codes as the porchlight command: 2 for a wrong setting.
    process.exitCode = error instanceof ConfigError ? 2 : 1;
  });
}
