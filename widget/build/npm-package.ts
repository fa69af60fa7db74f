/**
 * Writes the npm package `@porchlight/widget`: one small module that fetches the tag's script from the owner's relay, and its
 * types. The package has its own folder and `package.json`, because its users do not need the packages that build it (Preact,
 * Vite).
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
  description: "Adds the Porchlight chat of your own relay to a page with a build step.",
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

The widget itself comes from your relay, so the two always have the same version. Every setting, command and event is typed.
`;

/**
 * Writes all files of the package except `mount.js`, which the build has already written: the compiler's types, a
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
