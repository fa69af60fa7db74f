import type { Site } from "../base/config.ts";

/** The sites of the settings in force. */
export type Sites = {
  find: (id: string) => Site | undefined;
  /** The same array after each `replace`. */
  all: readonly Site[];
  /** Whether pages of this origin may open the site's chat. The relay's own pages always may. */
  allows: (site: Site, origin: string) => boolean;
  /** Replaces the settings in force. */
  replace: (sites: readonly Site[]) => void;
  /** Calls `listener` after each `replace`. */
  onReplaced: (listener: () => void) => void;
};

/** Longest name of a host (RFC 1035 section 3.1). Each connection keeps its origin. */
const HOST_MAX = 253;

/** The compared parts of an origin; undefined for a text that no browser sends as an origin. */
function partsOf(origin: string): { protocol: string; port: string; labels: string[] } | undefined {
  if (!URL.canParse(origin)) return undefined;
  const url = new URL(origin);
  if (url.origin !== origin || url.hostname.length > HOST_MAX) return undefined;
  return { protocol: url.protocol, port: url.port, labels: url.hostname.split(".") };
}

/**
 * Whether an origin matches a pattern. `https://*.example.com` matches every subdomain of any depth, but not the domain
 * itself, as in CSP. Hosts are compared label by label; scheme and port must be equal.
 */
function matchesOrigin(pattern: string, origin: string): boolean {
  if (!pattern.includes("://*.")) return pattern === origin;
  const patternParts = partsOf(pattern.replace("://*.", "://"));
  const originParts = partsOf(origin);
  if (patternParts === undefined || originParts === undefined) return false;
  if (originParts.protocol !== patternParts.protocol || originParts.port !== patternParts.port) return false;
  const [above, below] = [
    originParts.labels.slice(0, -patternParts.labels.length),
    originParts.labels.slice(-patternParts.labels.length),
  ];
  const named = above.length > 0 && above.every((label) => label !== "");
  return named && below.every((label, i) => label === patternParts.labels[i]);
}

/**
 * The configured sites. Origins are compared with the settings, never with the request's own host, because the client chooses
 * that (CVE-2026-126344).
 * @param own the relay's own origins, whose pages are always allowed
 */
export function createSites(sites: readonly Site[], own: () => readonly string[]): Sites {
  // The list is shared with the settings, so readers of the settings see the same sites.
  const all = sites as Site[];
  const byId = new Map(all.map((site) => [site.public.id, site]));
  const listeners: (() => void)[] = [];
  return {
    find: (id) => byId.get(id),
    all,
    replace(next) {
      all.splice(0, all.length, ...next);
      byId.clear();
      for (const site of all) byId.set(site.public.id, site);
      for (const listener of listeners) listener();
    },
    onReplaced: (listener) => void listeners.push(listener),
    allows: (site, origin) => own().includes(origin) || site.origins.some((pattern) => matchesOrigin(pattern, origin)),
  };
}
