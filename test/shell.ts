import { execFile } from "node:child_process";
import { join } from "node:path";
import { COMPILED } from "./compiled.ts";
import { type House, KEY } from "./harness.ts";

const CLI = join(import.meta.dirname, "..", "relay", "src", "cli.ts");

export type Run = { code: number; out: string; err: string };

/** Runs `porchlight` with exactly these variables in its environment. */
export function runCommand(args: readonly string[], env: Record<string, string>): Promise<Run> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], { env: { ...COMPILED, ...env } }, (error, out, err) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err });
    });
  });
}

/** Runs a command beside the running relay of a house, with the relay's settings as its environment. */
export function porchlight(house: House, args: string[], env: Record<string, string> = {}): Promise<Run> {
  return runCommand(args, {
    DATA_DIR: house.dataDir,
    PORT: new URL(house.url).port,
    SERVICE_URL: house.serviceUrl,
    SERVICE_API_KEY: KEY,
    CALLBACK_SECRET: house.callbackUrl.split("/").at(-1) ?? "",
    ALLOWED_ORIGINS: house.host,
    ...env,
  });
}
