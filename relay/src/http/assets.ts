import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Hono } from "hono";
import type { Site } from "../base/config.ts";
import type { Sites } from "../records/sites.ts";

/** What every asset says: any page may load it, also one that isolates itself (COEP), and nobody guesses its type. */
const OPEN = {
  "Access-Control-Allow-Origin": "*",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Timing-Allow-Origin": "*",
  "X-Content-Type-Options": "nosniff",
} as const;

const SCRIPT = { ...OPEN, "Content-Type": "text/javascript; charset=utf-8" } as const;
/** The tag's script is asked for again after five minutes; it names the newest panel. */
const LOADER = { ...SCRIPT, "Cache-Control": "public, max-age=300, stale-while-revalidate=86400" } as const;
const HASHED = { ...SCRIPT, "Cache-Control": "public, max-age=31536000, immutable" } as const;

/** Where the build leaves room for the site's settings. */
const PLACEHOLDER = '"__PORCHLIGHT__"';

type Built = { loader: string; panel: string; chunks: Map<string, string> };

/** The built widget. @throws when it was not built */
function readBuild(folder: string): Built {
  const manifest = join(folder, "manifest.json");
  if (!existsSync(manifest)) throw new Error("The widget is not built: run `npm run build` first");
  const { panel } = JSON.parse(readFileSync(manifest, "utf8")) as { panel: string };
  const loader = readFileSync(join(folder, "loader.js"), "utf8");
  if (loader.split(PLACEHOLDER).length !== 2) throw new Error("The built loader has no single place for its settings");
  const assets = join(folder, "assets");
  const chunks = new Map(
    readdirSync(assets)
      .filter((name) => name.endsWith(".js"))
      .map((name) => [name, readFileSync(join(assets, name), "utf8")]),
  );
  return { loader, panel: `/${panel}`, chunks };
}

/** JSON that stays inside a script: `<` could end it, U+2028 is a line end to old engines. */
const inScript = (value: unknown): string =>
  JSON.stringify(value).replace(/[<\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

/**
 * The tag's script with a site's settings baked in, and the chunks it fetches. Everything is read once: nothing a request
 * says becomes a path.
 * @param options.relay the relay's public origin, or empty: the script then takes it from its own address
 * @param options.folder the widget's build
 */
export function assets(options: { sites: Sites; relay: string; folder: string }): Hono {
  const { loader, panel, chunks } = readBuild(options.folder);
  const scripts = new Map(
    options.sites.all.map((site) => {
      // A function, so that `$` in a site's texts is not read as a pattern.
      const text = loader.replace(PLACEHOLDER, () => inScript({ relay: options.relay, panel, site: site.public }));
      return [
        site.public.id,
        { text, etag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"` },
      ];
    }),
  );

  const script = (id: string, match: string | undefined): Response => {
    const found = scripts.get(id);
    if (found === undefined)
      return new Response("// Porchlight: no site with this key is served here.\n", { status: 404, headers: SCRIPT });
    const headers = { ...LOADER, ETag: found.etag };
    return match === found.etag ? new Response(null, { status: 304, headers }) : new Response(found.text, { headers });
  };

  const first: Site | undefined = options.sites.find("default") ?? options.sites.all[0];
  return new Hono()
    .get("/widget.js", (c) => script(c.req.query("site") ?? first?.public.id ?? "", c.req.header("if-none-match")))
    .get("/w/:file{.+\\.js}", (c) => script(c.req.param("file").replace(/\.js$/, ""), c.req.header("if-none-match")))
    .get("/assets/:name", (c) => {
      const chunk = chunks.get(c.req.param("name"));
      return chunk === undefined ? c.notFound() : new Response(chunk, { headers: HASHED });
    });
}
