import { existsSync } from "node:fs";
import { join } from "node:path";
import { counted } from "./audit.ts";
import { allArguments, type Command, positionals, type Result } from "./command.ts";
import type { CommandContext } from "./context.ts";
import { CommandError } from "./error.ts";

async function replay({ replaySpools }: CommandContext, folder: string): Promise<Result> {
  if (replaySpools === undefined) throw new CommandError("No relay is running. Start one: it stores the callbacks.");
  if (!existsSync(join(folder, "secrets.json")))
    throw new CommandError(`${folder} is not the data folder of a relay. The relay must be able to read it.`, 2);
  const { replies, recharges } = await replaySpools(folder).catch((error: Error) => {
    throw new CommandError(`${error.message}.`);
  });
  const stored = `${counted(replies, "reply", "replies")} and ${counted(recharges, "recharge")}`;
  return { data: { folder, replies, recharges }, lines: [`Stored ${stored}.`] };
}

export const SPOOLS: Record<string, Command> = {
  "spool replay": {
    usage: "<folder>",
    help: "stores the callbacks that a lost node left in its data folder",
    subject: allArguments,
    run: (context, given) => replay(context, positionals(given, "folder").folder),
  },
};
