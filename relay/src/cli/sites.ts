import { type Command, table } from "./command.ts";

export const SITES: Record<string, Command> = {
  site: {
    usage: "",
    help: "lists the sites with their tags, and the addresses to enter at the service (they hold a secret)",
    async run({ settings, callbackSecret }) {
      const base = settings.publicUrl ?? `http://localhost:${settings.port}`;
      const sites = settings.sites.map(({ public: { id }, account, origins, channel }) => ({
        id,
        account,
        channel,
        origins,
        tag: `<script async src="${base}/widget.js" data-site="${id}"></script>`,
      }));
      const addresses = {
        reply: `${base}/callbacks/reply/${callbackSecret}`,
        recharge: `${base}/callbacks/recharge/${callbackSecret}`,
      };
      const rows = sites.map(({ id, account, origins, tag }) => [id, account, origins.join(" ") || "none", tag]);
      return {
        data: { sites, addresses },
        lines: [
          ...table(["SITE", "ACCOUNT", "ORIGINS", "TAG"], rows),
          "",
          `Custom Channel Webhook: ${addresses.reply}`,
          `Auto-recharge:          ${addresses.recharge}`,
        ],
      };
    },
  },
};
