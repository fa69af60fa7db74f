/** A real Caddy with a file of relay/deploy. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Front, runFront } from "./setup/front.ts";
import { caddyPath } from "./setup/programs.ts";

/** Version of the installed Caddy, as numbers. */
const caddyVersion = (): number[] =>
  execFileSync(caddyPath(), ["version"], { encoding: "utf8" })
    .replace(/^v/, "")
    .split(" ")[0]
    ?.split(".")
    .map(Number) ?? [];

/** Whether the installed Caddy is older than a version. */
export function isCaddyBefore(other: readonly number[]): boolean {
  const version = caddyVersion();
  const at = other.findIndex((part, i) => part !== (version[i] ?? 0));
  return at >= 0 && (version[at] ?? 0) < (other[at] ?? 0);
}

/** A Caddyfile for the installed Caddy: releases before 2.7 do not know the directive `request_buffers`. */
export const forInstalledCaddy = (file: string): string =>
  isCaddyBefore([2, 7]) ? file.replace(/^\s*request_buffers .*\n/m, "") : file;

/**
 * Runs Caddy over HTTP until it passes `/healthz` on.
 * @param file a Caddyfile with the variables of relay/deploy/Caddyfile
 * @param port of Caddy
 * @param relays ports of the relays
 */
export function startCaddy(file: string, port: number, relays: readonly number[]): Promise<Front> {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-caddy-"));
  const path = join(folder, "Caddyfile");
  writeFileSync(path, `{\n\tadmin off\n}\n${forInstalledCaddy(file)}`);
  const env = {
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    RELAYS: relays.map((one) => `127.0.0.1:${one}`).join(" "),
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  };
  return runFront([caddyPath(), "run", "--config", path, "--adapter", "caddyfile"], port, folder, env);
}
