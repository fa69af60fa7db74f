/** Checks and applies changes of the sandbox's options. */

import { isFields } from "@porchlight/shared/json-fields";
import { OPTIONS, type SandboxConfig } from "./options.ts";
import { PROFILES } from "./profiles.ts";

/** A patch names an unknown option, or a value that the option does not accept. */
export class ConfigError extends Error {}

const isOption = (name: string): name is keyof typeof OPTIONS => Object.hasOwn(OPTIONS, name);

/** Checks a patch from outside. @throws ConfigError that names the option and the values that it accepts */
export function checkPatch(patch: unknown): Partial<SandboxConfig> {
  if (!isFields(patch)) throw new ConfigError("A patch must be an object of options");
  for (const [name, value] of Object.entries(patch)) {
    if (!isOption(name)) throw new ConfigError(`There is no option "${name}"`);
    if (!OPTIONS[name].allows(value)) {
      throw new ConfigError(`${name} cannot be ${JSON.stringify(value)}; allowed: ${OPTIONS[name].allowed}`);
    }
  }
  return patch as Partial<SandboxConfig>;
}

/** All options at their first values. */
export function initialConfig(): SandboxConfig {
  return Object.fromEntries(Object.entries(OPTIONS).map(([name, { initial }]) => [name, initial])) as SandboxConfig;
}

/** The first values of all options that some profile changes: changing the profile resets them. */
function profileReset(): Partial<SandboxConfig> {
  const moved = new Set(Object.values(PROFILES).flatMap((values) => Object.keys(values)));
  return Object.fromEntries(Object.entries(initialConfig()).filter(([name]) => moved.has(name)));
}

/** Applies a checked patch in place. The profile is applied first, so that the patch's other options override it. */
export function applyPatch(config: SandboxConfig, patch: Partial<SandboxConfig>): void {
  if (patch.profile !== undefined) Object.assign(config, profileReset(), PROFILES[patch.profile]);
  Object.assign(config, patch);
}

/** The configuration for display: keys and the owner's id are masked. */
export function maskedConfig(config: SandboxConfig): SandboxConfig {
  return { ...config, apiKey: "***", agencyKey: config.agencyKey === null ? null : "***", userId: "***" };
}
