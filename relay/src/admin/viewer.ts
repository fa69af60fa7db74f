import type { AdminSession } from "../records/operators.ts";
import type { Sites } from "../records/sites.ts";

/** The role of a session. An admin may act, a reader may only read; a reader of one site sees nothing of the others. */
export type Viewer = Pick<AdminSession, "role" | "site">;

/** The sites that a viewer may see. */
export function sitesFor(sites: Sites, { site }: Viewer): Sites {
  if (site === null) return sites;
  return {
    ...sites,
    find: (id) => (id === site ? sites.find(id) : undefined),
    all: sites.all.filter(({ public: { id } }) => id === site),
  };
}

/** Whether a viewer may see the data of a site. */
export const sees = (viewer: Viewer, site: string): boolean => viewer.site === null || viewer.site === site;
