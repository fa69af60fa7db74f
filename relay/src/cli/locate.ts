import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Settings } from "../base/config.ts";
import { DEFAULT_DATA_DIR } from "../base/folder.ts";
import { type Holder, holderOf, isTaken } from "../db/lock.ts";
import { relayLock } from "../wiring/data-lock.ts";
import { settingsOver } from "./control.ts";

/** A relay that runs, and the socket on which it takes commands. */
export type Found = { dataDir: string; holder: Holder; socket: string; settings: Settings };

const INSTALLATION = fileURLToPath(new URL("../../../", import.meta.url));
/** The unit file as systemd reads it, and as it is shipped: each names its data folder. */
const UNITS = [
  "/etc/systemd/system/porchlight.service",
  "/lib/systemd/system/porchlight.service",
  join(INSTALLATION, "relay", "deploy", "porchlight.service"),
];

/** The data folder that a unit file names, or the folder of state that systemd makes for it. */
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
 * Where a relay's data folder may lie: where DATA_DIR says, and only there; else at the default place, below this folder
 * or below the installation, and where the unit files of systemd have it.
 */
export function placesFor(dataDir: string | undefined, units: readonly string[] = UNITS): string[] {
  if (dataDir !== undefined && dataDir !== "") return [resolve(dataDir)];
  const all = [resolve(DEFAULT_DATA_DIR), resolve(INSTALLATION, DEFAULT_DATA_DIR), ...units.flatMap(folderIn)];
  return [...new Set(all)];
}

/** The relay that runs on a data folder; nothing when none answers there. */
async function relayOn(dataDir: string): Promise<Found | undefined> {
  const holder = holderOf(relayLock(dataDir));
  if (holder?.control === undefined) return undefined;
  try {
    return { dataDir, holder, socket: holder.control, settings: await settingsOver(holder.control) };
  } catch {
    return undefined;
  }
}

/** The first relay that runs on one of these data folders. */
export async function findRelay(places: readonly string[]): Promise<Found | undefined> {
  for (const place of places) {
    const found = await relayOn(place);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A relay that holds its data and takes no commands from here: it starts or stops just now, or its socket is out of reach. */
export function unreachableRelay(places: readonly string[]): { dataDir: string; pid: number } | undefined {
  for (const dataDir of places) {
    const holder = holderOf(relayLock(dataDir));
    if (holder !== undefined && isTaken(relayLock(dataDir))) return { dataDir, pid: holder.pid };
  }
  return undefined;
}
