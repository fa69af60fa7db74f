import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Hono } from "hono";
import { RelayError } from "../base/errors.ts";
import type { Sites } from "../records/sites.ts";

/** Largest file of help articles, in bytes: visitors fetch it whole. */
const HELP_MAX = 512 * 1024;

/** A site's file as it was last read. `problem`: what is wrong with it. */
type HelpFile = { changed: number; size: number; text: string; problem: string | undefined };

/**
 * `/help/{site}.json`: the help articles of a site's start screen, from a file of the same name in the data folder, which
 * the owner writes. Public. The file is read again when it has changed, and not for each request: checking half a megabyte
 * of JSON takes ten times as long as any other answer (RELIABILITY A24). No file means no articles.
 * @param folder where the files are
 */
export function help(sites: Sites, folder: string): Hono {
  /** By path: at most one for each site. */
  const cache = new Map<string, HelpFile>();
  return new Hono().get("/help/:file{.+\\.json}", async (c) => {
    const site = sites.find(c.req.param("file").replace(/\.json$/, ""));
    if (site === undefined) throw new RelayError("unknown_site");
    c.header("Access-Control-Allow-Origin", "*");
    c.header("Cross-Origin-Resource-Policy", "cross-origin");
    c.header("Cache-Control", "public, max-age=60");
    c.header("X-Content-Type-Options", "nosniff");
    const { text, problem } = await contentOf(cache, join(folder, `${site.public.id}.json`));
    // The owner who opens the address sees the problem; the chat shows no articles.
    if (problem !== undefined) return c.json({ error: problem }, 500);
    c.header("Content-Type", "application/json");
    return c.body(text);
  });
}

async function contentOf(cache: Map<string, HelpFile>, path: string): Promise<Pick<HelpFile, "text" | "problem">> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return { text: "[]", problem: undefined };
  const { mtimeMs: changed, size } = found;
  if (size > HELP_MAX) return { text: "", problem: `The help file is larger than ${HELP_MAX} bytes.` };
  const known = cache.get(path);
  if (known?.changed === changed && known.size === size) return known;
  const text = await readFile(path, "utf8").catch(() => "[]");
  const fresh = { changed, size, text, problem: problemIn(text) };
  cache.set(path, fresh);
  return fresh;
}

/** The problem with a file of articles; undefined for a valid file. */
function problemIn(text: string): string | undefined {
  try {
    return Array.isArray(JSON.parse(text)) ? undefined : "The help file must contain a list.";
  } catch (error) {
    return `The help file is not valid JSON: ${error instanceof Error ? error.message : error}`;
  }
}
