/** Scripts of host pages that use other people's libraries, bundled as those pages would bundle them. */

import { build } from "vite";

const ENTRY = "\0entry";

/**
 * One script for a page.
 * @param code an ES module; may import what the repository has installed
 * @param alias other names for packages: two versions of one need it
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
