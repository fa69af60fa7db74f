import { CLOSE } from "@porchlight/shared/close";
import type { Log } from "../base/log.ts";
import type { Sites } from "../records/sites.ts";
import type { Sessions } from "./session/session.ts";

export type OriginLog = {
  /** Whether any site lets pages of this origin in; which one, `hello` decides. */
  allows: (origin: string) => boolean;
  /** The same `open`, with an eye on whom a site turns away that is served here. */
  watching: (open: Sessions["open"]) => Sessions["open"];
};

/** Origins told of; then this is silent: whoever makes them up shall not fill the log. */
const TOLD_MAX = 100;
/** An origin as browsers write it, that of an app's own scheme too (RFC 6454 section 6.2). */
const ORIGIN = /^(null|[a-z][a-z0-9+.-]*:\/\/[\w.:[\]-]{1,255})$/i;

/**
 * Tells the operator of pages that ask for a chat and may not have it, once for each origin and site: on the page itself
 * nobody learns which setting it takes.
 */
export function createOriginLog(sites: Pick<Sites, "all" | "allows" | "find">, log: Log): OriginLog {
  const told = new Set<string>();

  function tell(origin: string, site?: string): void {
    const one = `${origin} ${site ?? ""}`;
    if (told.size >= TOLD_MAX || told.has(one) || !ORIGIN.test(origin)) return;
    told.add(one);
    log("origin.refused", { origin, ...(site !== undefined && { site }) });
  }

  return {
    allows(origin) {
      const allowed = sites.all.some((site) => sites.allows(site, origin));
      if (!allowed) tell(origin);
      return allowed;
    },
    watching: (open) => async (hello, origin) => {
      const opened = await open(hello, origin);
      if (opened === CLOSE.notAllowed && sites.find(hello.site) !== undefined) tell(origin, hello.site);
      return opened;
    },
  };
}
