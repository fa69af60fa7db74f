/** Bundles scripts for host pages. They may use the libraries of this package. */

import { build } from "vite";

const ENTRY = "\0entry";

/**
 * Bundles one script for a page.
 * @param code an ES module; may import the dependencies of this package
 * @param alias other names for packages, to choose between two versions of one
 */
export async function bundle(code: string, alias: Record<string, string> = {}): Promise<string> {
  const built = await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: "error",
    resolve: { alias },
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [
      {
        name: "entry",
        resolveId: (id: string) => (id === "entry" ? `${import.meta.dirname}/${ENTRY}.js` : null),
        load: (id: string) => (id.includes(ENTRY) ? code : null),
      },
    ],
    build: { write: false, minify: false, rolldownOptions: { input: "entry", output: { format: "iife" } } },
  });
  const [{ output = [] } = {}] = [built].flat() as { output?: { type: string; code?: string }[] }[];
  return output.find(({ type }) => type === "chunk")?.code ?? "";
}
