/** A person of a site's team, as the setting `team` names one. */

export type TeamMember = {
  name: string;
  /** Address of a picture; empty: none. */
  picture: string;
};

/** Reads `name=address of a picture`, or `name`. */
export function parseTeamMember(entry: string): TeamMember {
  const at = entry.indexOf("=");
  return at < 0
    ? { name: entry.trim(), picture: "" }
    : { name: entry.slice(0, at).trim(), picture: entry.slice(at + 1).trim() };
}
