import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../base/folder.ts";
import { type Command, positionals } from "./command.ts";
import { CommandError } from "./error.ts";

export const CLIENT: Record<string, Command> = {
  client: {
    place: "alone",
    usage: "<folder>",
    help: "writes a typed client of the server API as an npm package without dependencies, to install from that folder",
    async run(given) {
      const { folder } = positionals(given, "folder");
      if (existsSync(folder)) throw new CommandError(`${folder} already exists: name a new folder.`, 2);
      // Hides Node's warning that type stripping is experimental.
      process.removeAllListeners("warning");
      const { clientPackage } = await import("../http/api/package.ts");
      const files = clientPackage();
      makeFolder(folder);
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      return {
        data: { folder, files: Object.keys(files) },
        lines: [`@porchlight/client is in ${folder}: npm install ${folder}`],
      };
    },
  },
};
