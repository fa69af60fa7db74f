import { existsSync, mkdirSync, readlinkSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

/** The file that marks a data folder: it holds the secrets that the relay generated. */
export const SECRETS_FILE = "secrets.json";
/** The data folder when DATA_DIR is not set: below the current folder. */
export const DEFAULT_DATA_DIR = "./data";

/**
 * Creates a folder and its parents. Node's own recursive `mkdir` never ends in a folder that refuses new entries with
 * ENOENT, such as `/proc`.
 * @throws the system's error; `ENOTDIR` when the path is not a folder
 */
export function makeFolder(path: string, mode: number = 0o777): void {
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) return;
    throw Object.assign(new Error(`ENOTDIR: ${path} is not a folder`), { code: "ENOTDIR", path });
  }
  const above = dirname(path);
  if (above !== path) makeFolder(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process has created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !statSync(path).isDirectory()) throw error;
  }
}

/** Whether the folder holds the data of a relay. */
const isDataFolder = (path: string): boolean => existsSync(join(path, SECRETS_FILE));

function isLink(path: string): boolean {
  try {
    readlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether a missing data folder may be created: at the default path, below it, or inside another data folder. */
function mayBeNew(path: string): boolean {
  // A link without a target leads to a volume that is not mounted.
  if (isLink(path)) return false;
  const home = resolve(DEFAULT_DATA_DIR);
  return path === home || path.startsWith(home + sep) || isDataFolder(dirname(path));
}

/**
 * Creates a missing data folder, if it may be created. Elsewhere a missing folder may be a volume that is not mounted: a
 * relay on an empty folder would start without its visitors and with another callback secret.
 * @throws Error with one sentence, or the system's error
 */
export function openDataFolder(dataDir: string): void {
  const path = resolve(dataDir);
  if (!existsSync(path) && !mayBeNew(path))
    throw new Error(
      `DATA_DIR: ${dataDir} does not exist; mount the volume that it is on, or create the folder for a new relay: mkdir -p ${dataDir}`,
    );
  makeFolder(path);
}

/**
 * Checks that the folder holds the data of a relay. Creates nothing.
 * @throws Error with one sentence, or the system's error
 */
export function assertDataFolder(dataDir: string): void {
  if (existsSync(dataDir)) makeFolder(dataDir);
  if (!isDataFolder(dataDir))
    throw new Error(
      `DATA_DIR: ${dataDir} holds no data of a relay; set DATA_DIR to the relay's data folder, or start the relay first`,
    );
}
