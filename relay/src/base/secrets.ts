import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isFields } from "@porchlight/shared/json-fields";
import { SECRETS_FILE } from "./folder.ts";
import { newSecret } from "./sign.ts";
import { syncFolder } from "./sync.ts";

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
 * Replaces the file by a rename, so that a crash leaves the old or the new one complete. Only its owner may read it. When this
 * returns, the file survives a power cut: visitors and the service get the secrets next.
 */
function write(file: string, secrets: Secrets): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  syncFolder(dirname(file));
}

/** The content of `secrets.json`. @throws the system's error, or Error with one sentence when the file is damaged */
function parsed(file: string): Partial<Secrets> {
  const text = readFileSync(file, "utf8");
  // Not the parser's own message, because it may quote a secret.
  const damaged = new Error(`DATA_DIR: ${file} is damaged; restore it from the newest backup`);
  let secrets: unknown;
  try {
    secrets = JSON.parse(text);
  } catch {
    throw damaged;
  }
  if (!isFields(secrets)) throw damaged;
  return secrets;
}

/**
 * Reads `secrets.json` of the data folder, and generates and stores missing secrets.
 * @throws the system's error, or Error with one sentence when the file is damaged
 */
export function loadSecrets(dataDir: string): Secrets {
  const file = join(dataDir, SECRETS_FILE);
  const kept: Partial<Secrets> = existsSync(file) ? parsed(file) : {};
  const secrets: Secrets = {
    signing: kept.signing ?? newSecret(),
    callback: kept.callback ?? newSecret(),
    admin: kept.admin ?? newSecret(),
  };
  if (Object.keys(kept).length < Object.keys(secrets).length) write(file, secrets);
  return secrets;
}

/** Stores the secrets that this deployment uses in `secrets.json` of the data folder, if the file has others. */
export function keepSecrets(dataDir: string, secrets: Secrets): void {
  const kept = readSecrets(dataDir);
  const { signing, callback, admin } = secrets;
  if (kept.signing === signing && kept.callback === callback && kept.admin === admin) return;
  write(join(dataDir, SECRETS_FILE), { ...kept, ...secrets });
}

/** The secrets of an existing data folder. @throws as `loadSecrets`, also when there is no such file */
export const readSecrets = (dataDir: string): Secrets => parsed(join(dataDir, SECRETS_FILE)) as Secrets;
