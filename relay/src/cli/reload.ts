import { cut } from "@porchlight/shared/text";
import { record } from "./audit.ts";
import { type Command, table } from "./command.ts";
import { CommandError } from "./error.ts";

export const RELOAD: Record<string, Command> = {
  reload: {
    usage: "[--dry-run]",
    help: "reads the configuration file and the files of keys again, and applies keys and the settings of sites without a restart; --dry-run only shows the differences; exit code 3 when a difference needs a restart",
    options: { "dry-run": { type: "boolean" } },
    async run(context, given) {
      const { running, reload } = context;
      if (!running) throw new CommandError("No relay is running. A relay reads the file when it starts.");
      const dry = given.flag("dry-run");
      const result = reload(dry);
      if ("problems" in result) throw new CommandError(result.problems.join("\n"), 2);
      const { changes } = result;
      const applied = changes.filter(({ effect }) => effect === "now");
      if (!dry && applied.length > 0) {
        const subject = applied
          .map(({ path }) => path)
          .join(" ")
          .slice(0, 500);
        await record(context, { action: "reload configuration", subject });
      }
      const cells = changes.map(({ path, before, after, effect }) => [
        path,
        cut(before, 60),
        cut(after, 60),
        effect === "restart" ? "after a restart" : dry ? "at once" : "now in force",
      ]);
      return {
        data: { dryRun: dry, changes },
        lines:
          changes.length === 0 ? ["Nothing differs."] : table(["SETTING", "BEFORE", "AFTER", "TAKES EFFECT"], cells),
        code: changes.length > applied.length ? 3 : 0,
      };
    },
  },
};
