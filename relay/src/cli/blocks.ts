import { blockView } from "../http/api/blocks.ts";
import { blocksPage } from "../records/blocks.ts";
import { allArguments, type Command, positionals, requiredOption, SITE_OPTION, table } from "./command.ts";
import { CommandError } from "./error.ts";

const ROWS = 200;

export const BLOCKING: Record<string, Command> = {
  "block add": {
    usage: "<visitor|address|a.b.c.d/n> --reason <words> [--everybody] [--site <site>]",
    help: "blocks a visitor or a network; a running relay applies it within seconds",
    subject: allArguments,
    options: { ...SITE_OPTION, reason: { type: "string" }, everybody: { type: "boolean" } },
    check: (given) => void requiredOption(given, "reason"),
    async run(context, given) {
      const { value } = positionals(given, "value");
      const siteId = context.site(given.text("site")).public.id;
      const asked = { site: siteId, value, reason: requiredOption(given, "reason"), actor: "cli" };
      const block = await context.access.block(asked, given.flag("everybody"));
      if (block === "too_broad")
        throw new CommandError(`${value} would block nearly all visitors. Add --everybody to confirm.`, 2);
      if (block === undefined)
        throw new CommandError(
          `"${value}" is neither a visitor's id nor an IP address or network like 192.0.2.0/24.`,
          2,
        );
      return { data: blockView(block), lines: [`${value} is blocked: ${block.id}`] };
    },
  },
  "block list": {
    usage: "[--site <site>]",
    help: "lists the blocked visitors and networks of a site, newest first",
    options: SITE_OPTION,
    async run(context, given) {
      const siteId = context.site(given.text("site")).public.id;
      const rows = (await blocksPage(context.db, { site: siteId, limit: ROWS })).map(blockView);
      const cells = rows.map(({ id, value, reason, actor, at }) => [id, value, at, actor, reason]);
      return { data: rows, lines: table(["BLOCK", "WHOM", "SINCE", "BY", "REASON"], cells) };
    },
  },
  "block remove": {
    usage: "<block> [--site <site>]",
    help: "removes a block",
    subject: allArguments,
    options: SITE_OPTION,
    async run(context, given) {
      const { block } = positionals(given, "block");
      const siteId = context.site(given.text("site")).public.id;
      if (!(await context.access.unblock(siteId, block))) throw new CommandError(`No block ${block} of this site.`);
      return { data: { block, removed: true }, lines: [`${block} is removed.`] };
    },
  },
};
