import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Settings } from "../base/config.ts";
import { DEFAULT_DATA_DIR, SECRETS_FILE } from "../base/folder.ts";
import { type Holder, holderOf, isTaken } from "../db/lock.ts";
import { relayLock } from "../wiring/data-lock.ts";
import { settingsOver } from "./control.ts";

/** A folder that may hold a relay's data. `named`: DATA_DIR, the installation or a unit file names it. */
export type Place = { dataDir: string; named: boolean };
/** A running relay, and the socket that accepts its commands. */
export type RunningRelay = { dataDir: string; holder: Holder; socket: string; settings: Settings };

const INSTALLATION = fileURLToPath(new URL("../../../", import.meta.url));
/** systemd's unit files: the installed one and the one in this repository. Each names a data folder. */
const UNITS = [
  "/etc/systemd/system/porchlight.service",
  "/lib/systemd/system/porchlight.service",
  join(INSTALLATION, "relay", "deploy", "porchlight.service"),
];

/** The data folder that a unit file names, or the state folder that systemd creates for it. */
function folderIn(unit: string): string[] {
  if (!existsSync(unit)) return [];
  const text = readFileSync(unit, "utf8");
  const [, named] = /^Environment="?DATA_DIR=([^"\s]+)/m.exec(text) ?? [];
  const [, state] = /^StateDirectory=(\S+)/m.exec(text) ?? [];
  return [named, state && `/var/lib/${state}`]
    .filter((path) => path !== undefined && path !== "")
    .slice(0, 1) as string[];
}

/**
 * The folders that may hold a running relay's data. With DATA_DIR, only that folder. Otherwise the default folder below the
 * current folder and below the installation, the demo's folder (`npm start`), and the folders that systemd's unit files name.
 * @param dataDir value of DATA_DIR
 */
export function placesFor(dataDir: string | undefined, units: readonly string[] = UNITS): Place[] {
  if (dataDir !== undefined && dataDir !== "") return [{ dataDir: resolve(dataDir), named: true }];
  const installed = resolve(INSTALLATION, DEFAULT_DATA_DIR);
  const named = new Set([installed, join(installed, "demo"), ...units.flatMap(folderIn)]);
  const all = new Set([resolve(DEFAULT_DATA_DIR), ...named]);
  return [...all].map((folder) => ({ dataDir: folder, named: named.has(folder) }));
}

/**
 * Whether another user has described the relay of a folder that nobody named, such as `data` below the shared folder `/tmp`. Such
 * a description may be forged, and commands would follow its settings.
 * @param owner id of the user who owns the description
 */
function isForeign({ named }: Place, owner: number): boolean {
  const user = process.getuid?.();
  return !named && user !== undefined && owner !== user && owner !== 0;
}

/** The folder of a relay that is not used because another user has described it, and that user's id. */
export function foreignRelay(places: readonly Place[]): { dataDir: string; owner: number } | undefined {
  for (const place of places) {
    const owner = holderOf(relayLock(place.dataDir))?.owner;
    if (owner !== undefined && isForeign(place, owner)) return { dataDir: place.dataDir, owner };
  }
  return undefined;
}

/** The relay that runs on a data folder; `undefined` when none answers. */
async function relayOn(place: Place): Promise<RunningRelay | undefined> {
  const { dataDir } = place;
  const holder = holderOf(relayLock(dataDir));
  if (holder?.control === undefined || isForeign(place, holder.owner)) return undefined;
  try {
    return { dataDir, holder, socket: holder.control, settings: await settingsOver(holder.control) };
  } catch {
    return undefined;
  }
}

/** The first relay that runs on one of these data folders; undefined when none does. */
export async function findRelay(places: readonly Place[]): Promise<RunningRelay | undefined> {
  for (const place of places) {
    const found = await relayOn(place);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Number of searches for a relay that may be restarting, and the pause between two (ms): three seconds in total. */
const [SEARCHES, PAUSE_MS] = [30, 100];

/**
 * Waits for a relay where one has run before: it may restart at this moment, and systemd's `restart` ends before the relay
 * answers.
 */
export async function awaitRelay(
  places: readonly Place[],
  pause: () => Promise<unknown> = () => setTimeout(PAUSE_MS),
): Promise<RunningRelay | undefined> {
  const used = places.filter(({ dataDir }) => existsSync(join(dataDir, SECRETS_FILE)));
  for (let n = 0; n < SEARCHES && used.length > 0; n++) {
    await pause();
    const found = await findRelay(used);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Finds a relay that has locked its data but does not answer: it is starting or stopping, or this user may not open its socket.
 */
export function unreachableRelay(places: readonly Place[]): { dataDir: string; pid: number } | undefined {
  for (const { dataDir } of places) {
    const holder = holderOf(relayLock(dataDir));
    if (holder !== undefined && isTaken(relayLock(dataDir))) return { dataDir, pid: holder.pid };
  }
  return undefined;
}
