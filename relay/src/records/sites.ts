import type { Site } from "../base/config.ts";

export type Sites = {
  find: (id: string) => Site | undefined;
  all: readonly Site[];
  /** Whether pages of this origin may open the site's chat. The relay's own pages always may. */
  allows: (site: Site, origin: string) => boolean;
};

/** `https://*.example.com` fits every subdomain of any depth, but not the domain itself, as in CSP. */
function fits(pattern: string, origin: string): boolean {
  const [scheme, host] = pattern.split("://*.");
  if (host === undefined) return pattern === origin;
  return origin.startsWith(`${scheme}://`) && origin.endsWith(`.${host}`);
}

/**
 * The tenants. Origins are compared with the configuration, never with the request: what a request says of its own
 * host is the sender's word (CVE-2026-126344).
 * @param own the relay's own origins: its pages always may
 */
export function createSites(sites: readonly Site[], own: () => readonly string[]): Sites {
  const byId = new Map(sites.map((site) => [site.public.id, site]));
  return {
    find: (id) => byId.get(id),
    all: sites,
    allows: (site, origin) => own().includes(origin) || site.origins.some((pattern) => fits(pattern, origin)),
  };
}
