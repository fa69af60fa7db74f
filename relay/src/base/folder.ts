import { existsSync, mkdirSync, readlinkSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

/** The file by which a data folder is known: it holds the secrets that the relay made for itself. */
export const SECRETS_FILE = "secrets.json";
/** Where the data folder lies when DATA_DIR is not set: below the current folder. */
export const DEFAULT_DATA_DIR = "./data";

/**
 * Makes a folder and those above it. Node's own recursion never ends where a folder is there and takes no other, as below
 * `/proc`: the system says "no such file" of what is to be made.
 * @throws the system's error; `ENOTDIR` where something else has the name
 */
export function makeFolder(path: string, mode: number = 0o777): void {
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) return;
    throw Object.assign(new Error(`ENOTDIR: ${path} is no folder`), { code: "ENOTDIR", path });
  }
  const above = dirname(path);
  if (above !== path) makeFolder(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !statSync(path).isDirectory()) throw error;
  }
}

/** Whether a relay has kept its data in this folder. */
const isDataFolder = (path: string): boolean => existsSync(join(path, SECRETS_FILE));

function isLink(path: string): boolean {
  try {
    readlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether a missing data folder is surely meant to be new: at the default place, below it, or in another data folder. */
function mayBeNew(path: string): boolean {
  // A link whose target is missing leads to a volume that is not mounted, wherever the link itself lies.
  if (isLink(path)) return false;
  const home = resolve(DEFAULT_DATA_DIR);
  return path === home || path.startsWith(home + sep) || isDataFolder(dirname(path));
}

/**
 * Makes the data folder where it is missing and surely meant to be new. Anywhere else a missing folder is rather a volume
 * that is not mounted, and a relay that began anew there would have another callback secret and none of its visitors.
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
 * Makes sure that a relay has kept its data in this folder, and makes nothing.
 * @throws Error with one sentence, or the system's error
 */
export function assertDataFolder(dataDir: string): void {
  if (existsSync(dataDir)) makeFolder(dataDir);
  if (!isDataFolder(dataDir))
    throw new Error(
      `DATA_DIR: ${dataDir} holds no data of a relay; set DATA_DIR to the relay's data folder, or start the relay first`,
    );
}
