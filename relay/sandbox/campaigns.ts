/** Campaigns: ids that route a message to a bot script. */

import { Refusal } from "./answers.ts";
import type { BotScript } from "./bots.ts";
import type { SandboxConfig } from "./options.ts";

export type Campaigns = {
  /** Campaign id → script of its bot. */
  seed(scripts: Readonly<Record<string, BotScript>>): void;
  script(campaignId: string | undefined): BotScript | undefined;
  /** Refuses an unknown id when the option `unknownCampaign` asks for it. */
  check(campaignId: string | undefined): void;
  all(): Record<string, BotScript>;
  clear(): void;
};

/** @param config read at each check, so that a changed option applies at once */
export function createCampaigns(config: SandboxConfig): Campaigns {
  const scripts = new Map<string, BotScript>();
  return {
    seed(more) {
      for (const [campaignId, script] of Object.entries(more)) scripts.set(campaignId, script);
    },
    script: (campaignId) => (campaignId === undefined ? undefined : scripts.get(campaignId)),
    check(campaignId) {
      if (campaignId === undefined || config.unknownCampaign === "ignore") return;
      if (scripts.has(campaignId) || config.knownCampaigns.includes(campaignId)) return;
      throw new Refusal("UNKNOWN_CAMPAIGN", "Campaign not found", { status: config.unknownCampaign });
    },
    all: () => Object.fromEntries(scripts),
    clear: () => scripts.clear(),
  };
}
