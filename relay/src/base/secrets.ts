import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SECRETS_FILE } from "./folder.ts";
import { newSecret } from "./sign.ts";

/** Secrets that the relay makes for itself and keeps in its data folder. */
export type Secrets = {
  /** Signs sessions and visitor ids. Lost: every visitor starts anew. */
  signing: string;
  /** Path segment of the callback addresses. */
  callback: string;
  /** Opens the operator's pages. */
  admin: string;
};

/**
 * Reads `secrets.json` of the data folder and makes what is missing. Written aside and renamed, readable by the owner
 * only, so that a crash leaves either the old file or the new one.
 */
export function loadSecrets(dataDir: string): Secrets {
  const file = join(dataDir, SECRETS_FILE);
  const kept: Partial<Secrets> = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const secrets: Secrets = {
    signing: kept.signing ?? newSecret(),
    callback: kept.callback ?? newSecret(),
    admin: kept.admin ?? newSecret(),
  };
  if (Object.keys(kept).length < Object.keys(secrets).length) {
    writeFileSync(`${file}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
  }
  return secrets;
}

/** The secrets that a relay has made. @throws the system's error when it has made none here */
export const readSecrets = (dataDir: string): Secrets =>
  JSON.parse(readFileSync(join(dataDir, SECRETS_FILE), "utf8")) as Secrets;
