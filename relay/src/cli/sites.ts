import { type Command, table } from "./command.ts";

export const SITES: Record<string, Command> = {
  site: {
    usage: "",
    help: "lists the sites with their tags, and the addresses to enter at the service (they contain a secret)",
    async run({ settings, callbackSecret }) {
      const base = settings.publicUrl ?? `http://localhost:${settings.port}`;
      const sites = settings.sites.map(({ public: { id }, account, origins, channel }) => ({
        id,
        account,
        channel,
        origins,
        tag: `<script async src="${base}/widget.js" data-site="${id}"></script>`,
      }));
      const addressesOf = (query: string) => ({
        reply: `${base}/callbacks/reply/${callbackSecret}${query}`,
        recharge: `${base}/callbacks/recharge/${callbackSecret}${query}`,
      });
      // Each account has its own addresses, which reach only its sites and its ledger.
      const byAccount = Object.fromEntries(
        settings.accounts.map(({ id }) => [id, addressesOf(`?account=${encodeURIComponent(id)}`)]),
      );
      const addresses = addressesOf("");
      const hasOneAccount = settings.accounts.length === 1;
      const rows = sites.map(({ id, account, origins, tag }) => [id, account, origins.join(" ") || "none", tag]);
      return {
        data: { sites, addresses, ...(hasOneAccount ? {} : { accounts: byAccount }) },
        lines: [
          ...table(["SITE", "ACCOUNT", "ORIGINS", "TAG"], rows),
          "",
          ...Object.entries(hasOneAccount ? { "": addresses } : byAccount).flatMap(([id, { reply, recharge }]) => [
            ...(hasOneAccount ? [] : [`Account ${id}`]),
            `Custom Channel Webhook: ${reply}`,
            `Auto-recharge:          ${recharge}`,
          ]),
        ],
      };
    },
  },
};
