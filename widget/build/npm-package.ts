/**
 * The npm package `@porchlight/widget`, beside the other files of the build: one small module that fetches the tag's script
 * from the owner's relay, and its types. A folder of its own with its own `package.json`, because what the workspace needs
 * to build (Preact, Vite) is nothing that who installs it needs.
 */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const WIDGET = join(import.meta.dirname, "..");

const TYPES = "./types/widget/src/loader/mount.d.ts";

const packageJson = (version: string): object => ({
  name: "@porchlight/widget",
  version,
  description: "Puts the Porchlight chat of your own relay on a page that is built.",
  license: "MIT",
  type: "module",
  sideEffects: false,
  types: TYPES,
  exports: { ".": { types: TYPES, default: "./mount.js" } },
});

const README = `# @porchlight/widget

    import { mount } from "@porchlight/widget";

    const chat = await mount({ relay: "https://chat.example.com", accent: "#0a7d55" });
    chat.on("message", ({ text }) => console.log(text));

The widget itself comes from your relay, so it is always as new as that. Every setting, command and event is typed.
`;

/**
 * Writes everything of the package but `mount.js`, which the build has put there: the types as the compiler leaves them, a
 * `package.json` and a manual.
 * @param folder where `mount.js` is
 */
export function writePackage(folder: string): void {
  const { version } = JSON.parse(readFileSync(join(WIDGET, "package.json"), "utf8")) as { version: string };
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const args = [tsc, "-p", join(WIDGET, "tsconfig.module.json"), "--outDir", join(folder, "types")];
  execFileSync(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(packageJson(version), null, 2)}\n`);
  writeFileSync(join(folder, "README.md"), README);
}
