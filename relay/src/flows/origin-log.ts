import { CLOSE } from "@porchlight/shared/close";
import type { Log } from "../base/log.ts";
import type { Sites } from "../records/sites.ts";
import type { Sessions } from "./session/session.ts";

/** Logs refused origins. */
export type OriginLog = {
  /** Whether at least one site allows pages of this origin. The site is not known before `hello`. */
  allows: (origin: string) => boolean;
  /** Wraps `open` so that it logs an origin that a configured site refuses. */
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
