/**
 * Writes a folder with only what production needs: the relay, the built widget, and their packages. The machine that runs
 * it needs Node 26, and no npm.
 *
 *   npm run release -- /opt/porchlight
 *   node /opt/porchlight/relay/src/cli.ts serve
 */

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sbom } from "./components.ts";
import { CONTENTS, isShipped } from "./contents.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const PNPM = "pnpm@12.21.0";

/** Writes the release. @param folder new, or empty */
function release(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty: name a new folder.`);
  for (const part of CONTENTS)
    cpSync(join(ROOT, part), join(folder, part), {
      recursive: true,
      filter: (path) => isShipped(path.slice(ROOT.length)),
    });
  const install = ["--yes", "--loglevel=error", PNPM, "install", "--prod", "--frozen-lockfile", "--silent"];
  execFileSync("npx", [...install, "--filter", "@porchlight/relay..."], { cwd: folder, stdio: "inherit" });
  writeFileSync(join(folder, "sbom.cdx.json"), `${JSON.stringify(sbom(), null, 2)}\n`);
  console.log(`${folder} is ready: node ${join(folder, "relay/src/cli.ts")} serve, with Node 26.`);
}

const [, , folder] = process.argv;
if (folder === undefined) {
  console.error("Name a new folder: npm run release -- /opt/porchlight");
  process.exitCode = 2;
} else release(folder);
