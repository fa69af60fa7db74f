import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Hono } from "hono";
import { RelayError } from "../base/errors.ts";
import type { Sites } from "../records/sites.ts";

/** Largest file of help articles, in bytes: visitors fetch it whole. */
const HELP_MAX = 512 * 1024;

/**
 * `/help/{site}.json`: the help articles of a site's start screen, from a file of the same name in the data folder, which
 * the owner writes. Public, and read for each request, so that a change shows at once. No file means no articles.
 * @param folder where the files are
 */
export function help(sites: Sites, folder: string): Hono {
  return new Hono().get("/help/:file{.+\\.json}", async (c) => {
    const site = sites.find(c.req.param("file").replace(/\.json$/, ""));
    if (site === undefined) throw new RelayError("unknown_site");
    c.header("Access-Control-Allow-Origin", "*");
    c.header("Cross-Origin-Resource-Policy", "cross-origin");
    c.header("Cache-Control", "public, max-age=60");
    c.header("X-Content-Type-Options", "nosniff");
    const text = await readFile(join(folder, `${site.public.id}.json`), "utf8").catch(() => "[]");
    const complaint = complaintOf(text);
    // The owner who opens the address sees the problem; the chat shows no articles.
    if (complaint !== undefined) return c.json({ error: complaint }, 500);
    c.header("Content-Type", "application/json");
    return c.body(text);
  });
}

/** The problem with a file of articles; undefined for a valid file. */
function complaintOf(text: string): string | undefined {
  if (Buffer.byteLength(text) > HELP_MAX) return `The help file is larger than ${HELP_MAX} bytes.`;
  try {
    return Array.isArray(JSON.parse(text)) ? undefined : "The help file must contain a list.";
  } catch (error) {
    return `The help file is not valid JSON: ${error instanceof Error ? error.message : error}`;
  }
}
