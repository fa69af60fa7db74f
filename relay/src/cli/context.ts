import type { Site } from "../base/config.ts";
import type { RelayInternals } from "../relay.ts";
import { CommandError } from "./error.ts";

/** Builds the context of a command from the parts of a running relay, or from parts made by `open-context`. */
export function contextOf(parts: RelayInternals & { close: () => Promise<void> }) {
  const { settings, sites, owner, ...others } = parts;

  /** The named site; without a name, the only one. @throws CommandError when it does not exist, or is ambiguous */
  function site(name: string | undefined): Site {
    const found = name === undefined ? settings.sites.length === 1 && settings.sites[0] : sites.find(name);
    if (found) return found;
    const all = settings.sites.map(({ public: { id } }) => id).join(", ");
    throw new CommandError(
      name === undefined ? `--site is needed: one of ${all}.` : `No site "${name}"; there are ${all}.`,
      2,
    );
  }
  return { ...others, ...owner, settings, sites, site };
}

export type CommandContext = ReturnType<typeof contextOf>;
