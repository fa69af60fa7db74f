/**
 * The npm package `@porchlight/widget`, beside the other files of the build: one small module that fetches the tag's script
 * from the owner's relay, and its types. A folder of its own with its own `package.json`, because what the workspace needs
 * to build (Preact, Vite) is nothing that who installs it needs.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

const WIDGET = join(import.meta.dirname, "..");

/** Types that a caller of `mount` may meet, where the compiler leaves them. */
const TYPES = [
  "widget/src/loader/mount.d.ts",
  "widget/src/loader/page-api.d.ts",
  "widget/src/settings/options.d.ts",
  "shared/site.d.ts",
];

const packageJson = (version: string): object => ({
  name: "@porchlight/widget",
  version,
  description: "Puts the Porchlight chat of your own relay on a page that is built.",
  license: "MIT",
  type: "module",
  sideEffects: false,
  types: "./mount.d.ts",
  exports: { ".": { types: "./mount.d.ts", default: "./mount.js" } },
});

const README = `# @porchlight/widget

    import { mount } from "@porchlight/widget";

    const chat = await mount({ relay: "https://chat.example.com", accent: "#0a7d55" });
    chat.on("message", ({ text }) => console.log(text));

The widget itself comes from your relay, so it is always as new as that. Every setting, command and event is typed.
`;

/** Types as the compiler writes them, each file's imports pointing to the one beside it. */
function types(): [name: string, text: string][] {
  const out = mkdtempSync(join(tmpdir(), "porchlight-types-"));
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const project = join(WIDGET, "tsconfig.module.json");
  execFileSync(process.execPath, [tsc, "-p", project, "--outDir", out], { stdio: ["ignore", "inherit", "inherit"] });
  const written = TYPES.map((path): [string, string] => [
    basename(path),
    readFileSync(join(out, path), "utf8")
      .replace(/"@porchlight\/shared\/([\w-]+)"/g, '"./$1.js"')
      .replace(/"\.[./\w-]*\/([\w-]+)\.ts"/g, '"./$1.js"'),
  ]);
  rmSync(out, { recursive: true });
  return written;
}

/**
 * Words to the bundlers of others: what is imported stands at the relay, and is found only when the page runs. The minifier
 * has taken out all comments.
 */
const LEAVE = "/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */";

function markImports(path: string): void {
  const code = readFileSync(path, "utf8").replace(/\bimport\(/g, `import(${LEAVE} `);
  if (!code.includes(LEAVE)) throw new Error(`${path} imports nothing`);
  writeFileSync(path, code);
}

/**
 * Writes everything of the package but its code, which the build has put there, and tells bundlers what in that is not theirs.
 * @param folder where `mount.js` is
 */
export function writeModule(folder: string): void {
  const { version } = JSON.parse(readFileSync(join(WIDGET, "package.json"), "utf8")) as {
    version: string;
  };
  mkdirSync(folder, { recursive: true });
  markImports(join(folder, "mount.js"));
  for (const [name, text] of types()) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(packageJson(version), null, 2)}\n`);
  writeFileSync(join(folder, "README.md"), README);
}
