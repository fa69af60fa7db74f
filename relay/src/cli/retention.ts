import { type Command, table } from "./command.ts";

export const RETENTION: Record<string, Command> = {
  retention: {
    usage: "[--dry-run]",
    help: "deletes what sites no longer keep (RETENTION_DAYS, retention), and old series (SERIES_DAYS); --dry-run only counts it",
    options: { "dry-run": { type: "boolean" } },
    async run({ retention }, given) {
      const dry = given.flag("dry-run");
      const rows = await retention.run({ dry, actor: "cli" });
      const cells = rows.map(({ site, kind, days, count }) => [site ?? "(all)", kind, days, count]);
      const hint = rows.every(({ site }) => site === null)
        ? ["The sites keep everything: none has a number of days. Set RETENTION_DAYS or retention.", ""]
        : [];
      return {
        data: rows,
        lines: [...hint, ...table(["SITE", "WHAT", "DAYS", dry ? "WOULD DELETE" : "DELETED"], cells)],
      };
    },
  },
};
