import { isFields } from "@porchlight/shared/json-fields";
import type { Settings, Site } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import type { Sites } from "../records/sites.ts";

/** A setting that differs. `effect`: it applies now, or after the next start. */
export type ChangedSetting = { path: string; before: string; after: string; effect: "now" | "restart" };
export type Reloaded = { changes: ChangedSetting[] } | { problems: readonly string[] };

/** Settings that the relay changed itself, or that are not settings. */
const SKIPPED = new Set(["reread", "port", "listenFd", "sites"]);
const SECRET = /secret|\bkey\b|token|databaseUrl|redisUrl|mail\.url/i;

/** A value for display, with its secrets masked. */
const shown = (path: string, value: unknown): string => {
  if (value === undefined) return "–";
  if (SECRET.test(path)) return "(hidden)";
  const hidden = (name: string, inner: unknown): unknown => (SECRET.test(name) ? "(hidden)" : inner);
  return typeof value === "string" ? value : JSON.stringify(value, hidden);
};

/** The paths at which two values differ. Lists are compared whole. */
function differences(before: unknown, after: unknown, path: string): Omit<ChangedSetting, "effect">[] {
  if ((isFields(before) || isFields(after)) && isFields(before ?? {}) && isFields(after ?? {})) {
    const [old, fresh] = [before ?? {}, after ?? {}] as Record<string, unknown>[];
    const all = [...new Set([...Object.keys(old ?? {}), ...Object.keys(fresh ?? {})])];
    const names = all.filter((name) => name !== "fromFile");
    return names.flatMap((name) => differences(old?.[name], fresh?.[name], path === "" ? name : `${path}.${name}`));
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ path, before: shown(path, before), after: shown(path, after) }];
}

const byId = (sites: readonly Site[]): Map<string, Site> => new Map(sites.map((site) => [site.public.id, site]));

/** The changes of sites, and the resulting sites. A site applies at once if its account is in force. */
function sitesOf(now: Settings, next: Settings): { changes: ChangedSetting[]; sites: Site[] } {
  const [old, fresh] = [byId(now.sites), byId(next.sites)];
  const accounts = new Set(now.accounts.map(({ id }) => id));
  const changes: ChangedSetting[] = [];
  const sites: Site[] = [];
  for (const id of new Set([...old.keys(), ...fresh.keys()])) {
    const [before, after] = [old.get(id), fresh.get(id)];
    const isUsable = after !== undefined && accounts.has(after.account);
    const effect = isUsable ? "now" : "restart";
    const path = `sites.${id}`;
    if (before === undefined) changes.push({ path, before: "–", after: "a new site", effect });
    else if (after === undefined) changes.push({ path, before: "a site", after: "–", effect });
    else changes.push(...differences(before, after, path).map((change) => ({ ...change, effect }) as const));
    const kept = isUsable ? after : before;
    if (kept !== undefined) sites.push(kept);
  }
  return { changes, sites };
}

type ReloadDeps = {
  settings: Settings;
  sites: Sites;
  log: Log;
  /** Reads the files of keys again. @returns whether a key changed */
  reloadKeys: () => boolean;
};

/** Reads the settings again and compares them with those in force. @param dry only compares */
function readAgain({ settings, sites }: ReloadDeps, dry: boolean): Reloaded {
  const read = settings.reread();
  if ("problems" in read) return read;
  const next = read.settings;
  const names = Object.keys(next).filter((name) => !SKIPPED.has(name)) as (keyof Settings)[];
  const others = names.flatMap((name) => differences(settings[name], next[name], name));
  const ofSites = sitesOf(settings, next);
  if (!dry && ofSites.changes.length > 0) sites.replace(ofSites.sites);
  return { changes: [...ofSites.changes, ...others.map((change) => ({ ...change, effect: "restart" as const }))] };
}

/**
 * Reads settings and keys again, and logs that. Keys and settings of sites change at once; open chats use
 * their site's settings from their next connection. Everything else needs a restart. A file with problems changes no setting.
 */
export function createReload(deps: ReloadDeps) {
  const { log, reloadKeys } = deps;
  /**
   * Reloads settings and keys.
   * @param dry only compares the settings
   */
  return function reload(dry: boolean): Reloaded {
    const result = readAgain(deps, dry);
    if (dry) return result;
    if ("problems" in result) log("settings.refused", { problems: result.problems });
    const sites = "changes" in result ? result.changes.map(({ path, effect }) => `${path} (${effect})`) : [];
    log("settings.reloaded", { changed: reloadKeys(), ...(sites.length > 0 && { sites }) });
    return result;
  };
}

export type Reload = ReturnType<typeof createReload>;
