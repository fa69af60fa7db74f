/**
 * Writes the npm packages of a release as tarballs: the relay, the widget's module, and the client of the server API.
 *
 *   npm run pack -- <folder>
 */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { clientPackage } from "../src/http/api/package.ts";
import { isShipped } from "./contents.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** Folders whose TypeScript becomes JavaScript: Node strips no types from installed packages. */
const SOURCES = ["relay/src", "relay/sandbox", "shared"];

/** A module as JavaScript. @param path from the root of the repository */
function compiled(path: string): string {
  const shared = (name: string): string => {
    const to = relative(dirname(path), `shared/${name}.js`);
    return to.startsWith(".") ? to : `./${to}`;
  };
  return stripTypeScriptTypes(readFileSync(join(ROOT, path), "utf8"))
    .replaceAll(
      /(["'])@porchlight\/shared\/([\w-]+)\1/g,
      (_, quote: string, name: string) => quote + shared(name) + quote,
    )
    .replaceAll(/(["'])(\.{1,2}\/[^"'\n]*)\.ts\1/g, "$1$2.js$1");
}

/** Writes the relay's package into a folder, in the layout of the repository. */
function relayPackage(folder: string): void {
  for (const source of SOURCES)
    for (const entry of readdirSync(join(ROOT, source), { recursive: true, withFileTypes: true })) {
      const path = relative(ROOT, join(entry.parentPath, entry.name));
      if (!entry.isFile() || !isShipped(`/${path}`) || /(package|tsconfig)\.json$/.test(path)) continue;
      const target = join(folder, path.replace(/\.ts$/, ".js"));
      mkdirSync(dirname(target), { recursive: true });
      if (path.endsWith(".ts")) writeFileSync(target, compiled(path));
      else cpSync(join(ROOT, path), target);
    }
  cpSync(join(ROOT, "widget", "dist"), join(folder, "widget", "dist"), { recursive: true });
  cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  const { version, dependencies, license } = JSON.parse(readFileSync(join(ROOT, "relay", "package.json"), "utf8")) as {
    version: string;
    license: string;
    dependencies: Record<string, string>;
  };
  const { "@porchlight/shared": _, ...needed } = dependencies;
  const name = "@porchlight/relay";
  const own = { name, version, license, type: "module", engines: { node: ">=26" } };
  const manifest = { ...own, bin: { porchlight: "relay/src/cli.js" }, dependencies: needed };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  // The program reads its version beside its sources.
  writeFileSync(join(folder, "relay", "package.json"), `${JSON.stringify({ name, version, type: "module" })}\n`);
}

/** Packs everything. @returns the paths of the tarballs */
export function pack(to: string): string[] {
  const scratch = mkdtempSync(join(tmpdir(), "porchlight-pack-"));
  try {
    const [relay, client] = [join(scratch, "relay"), join(scratch, "client")];
    mkdirSync(join(relay, "relay"), { recursive: true });
    mkdirSync(client);
    mkdirSync(to, { recursive: true });
    relayPackage(relay);
    for (const [name, text] of Object.entries(clientPackage())) writeFileSync(join(client, name), text);
    return [relay, client, join(ROOT, "widget", "dist", "npm")].map((folder) => {
      const name = execFileSync("npm", ["pack", folder, "--silent", "--pack-destination", resolve(to)], {
        encoding: "utf8",
      });
      return join(resolve(to), name.trim());
    });
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const [, , folder] = process.argv;
  if (folder === undefined) {
    console.error("Name a folder: npm run pack -- dist");
    process.exitCode = 2;
  } else console.log(pack(folder).join("\n"));
}
