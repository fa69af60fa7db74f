import { type Command, table } from "./command.ts";

export const RETENTION: Record<string, Command> = {
  retention: {
    usage: "[--dry-run]",
    help: "deletes what sites no longer keep (RETENTION_DAYS, retention); --dry-run only counts it",
    options: { "dry-run": { type: "boolean" } },
    async run({ retention }, given) {
      const dry = given.flag("dry-run");
      const rows = await retention.run({ dry, actor: "cli" });
      const cells = rows.map(({ site, kind, days, count }) => [site, kind, days, count]);
      const lines =
        rows.length === 0
          ? ["Everything is kept: no site has a number of days. Set RETENTION_DAYS or retention."]
          : table(["SITE", "WHAT", "DAYS", dry ? "WOULD DELETE" : "DELETED"], cells);
      return { data: rows, lines };
    },
  },
};
