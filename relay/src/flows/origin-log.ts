import { CLOSE } from "@porchlight/shared/close";
import type { Log } from "../base/log.ts";
import type { Sites } from "../records/sites.ts";
import type { Sessions } from "./session/session.ts";

export type OriginLog = {
  /** Whether pages of this origin may open a chat of any site. `hello` names the site. */
  allows: (origin: string) => boolean;
  /** Wraps `open`: an origin that a configured site refuses is logged. */
  logging: (open: Sessions["open"]) => Sessions["open"];
};

/** Most origins that are logged, so that invented ones cannot fill the log. */
const LOGGED_MAX = 100;
/** An origin as browsers send it, also with an app's own scheme (RFC 6454 section 6.2). */
const ORIGIN = /^(null|[a-z][a-z0-9+.-]*:\/\/[\w.:[\]-]{1,255})$/i;

/**
 * Logs origins whose pages requested a chat without permission, once per origin and site. The page itself cannot show which
 * setting is missing.
 */
export function createOriginLog(sites: Pick<Sites, "all" | "allows" | "find">, log: Log): OriginLog {
  const logged = new Set<string>();

  function report(origin: string, site?: string): void {
    const one = `${origin} ${site ?? ""}`;
    if (logged.size >= LOGGED_MAX || logged.has(one) || !ORIGIN.test(origin)) return;
    logged.add(one);
    log("origin.refused", { origin, ...(site !== undefined && { site }) });
  }

  return {
    allows(origin) {
      const allowed = sites.all.some((site) => sites.allows(site, origin));
      if (!allowed) report(origin);
      return allowed;
    },
    logging: (open) => async (hello, origin) => {
      const opened = await open(hello, origin);
      if (opened === CLOSE.notAllowed && sites.find(hello.site) !== undefined) report(origin, hello.site);
      return opened;
    },
  };
}
