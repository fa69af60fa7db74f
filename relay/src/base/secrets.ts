import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SECRETS_FILE } from "./folder.ts";
import { newSecret } from "./sign.ts";

/** Secrets that the relay generates and stores in its data folder. */
export type Secrets = {
  /** Signs sessions and visitor ids. Without it, every visitor starts a new conversation. */
  signing: string;
  /** Path segment of the callback addresses. */
  callback: string;
  /** Token of the operator's pages. */
  admin: string;
};

/**
 * Reads `secrets.json` of the data folder and generates missing secrets. A new file replaces the old one by a rename, so
 * that a crash leaves one of both complete. Only its owner may read it.
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

/** The secrets of an existing data folder. @throws the system's error when there are none */
export const readSecrets = (dataDir: string): Secrets =>
  JSON.parse(readFileSync(join(dataDir, SECRETS_FILE), "utf8")) as Secrets;
