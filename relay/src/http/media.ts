import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { ERRORS, RelayError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Database } from "../db/database.ts";
import type { Links } from "../files/links.ts";
import { disposition } from "../files/names.ts";
import type { Files } from "../files/store.ts";
import { TEXT_TYPE, typeOf } from "../files/types.ts";
import type { Uploads } from "../flows/uploads.ts";
import { findMedia, type MediaRow } from "../records/media.ts";
import { closeUnlessDone } from "./body.ts";
import { acceptsPage, missingPage } from "./notice-page.ts";
import { rangeOf } from "./range.ts";

type Bindings = { Bindings: HttpBindings };
type C = Context<Bindings>;

export type MediaDeps = {
  db: Database;
  files: Files;
  uploads: Uploads;
  links: Links;
  log: Log;
  /** Whether any site allows pages of this origin. */
  allows: (origin: string) => boolean;
  /**
   * The visitor of a token; undefined when the token is invalid, pages of this origin may not use it, or the site blocks its visitor
   * or the sender's address.
   */
  findByToken: (
    token: string,
    origin: string,
    incoming: IncomingMessage,
  ) => Promise<{ visitor: string; site: string } | undefined>;
  /** Milliseconds until an address may upload again; 0: it may upload now. */
  wait: (incoming: IncomingMessage, site: string) => number;
};

/**
 * Headers of downloads. An uploaded file must never run: its type is fixed, scripts are forbidden, and it has no access to the
 * relay's origin (RELIABILITY 3e.5; measured there: 0 of 72 hostile files run).
 */
const DOWNLOAD_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
  "Accept-Ranges": "bytes",
} as const;

const FILE = /^([0-9a-z]{26})(?:\.[a-z0-9]{2,4})?$/;
/**
 * Bytes of a refused file that are read and discarded, and the time for them in milliseconds: browsers read an answer only
 * after they have sent everything.
 */
const DISCARD_MAX = 64 * 1024 * 1024;
const DISCARD_MS = 10_000;

/** Routes for visitors' uploads, and for the signed links by which browsers and the service fetch them. */
export function media(deps: MediaDeps): Hono<Bindings> {
  const { links, log } = deps;
  const app = new Hono<Bindings>();

  app.use("/media", async (c, next) => {
    const origin = c.req.header("origin");
    if (origin === undefined || !deps.allows(origin)) throw new RelayError("origin_not_allowed");
    c.header("Access-Control-Allow-Origin", origin);
    c.header("Vary", "Origin");
    await next();
  });
  app.options("/media", (c) => {
    c.header("Access-Control-Allow-Methods", "POST");
    c.header("Access-Control-Allow-Headers", "authorization, content-type, x-file-name");
    c.header("Access-Control-Max-Age", "7200");
    return c.body(null, 204);
  });
  app.post("/media", async (c) => {
    const row = await upload(deps, c).catch(async (error: unknown) => {
      if (!isUnauthenticated(error)) await discard(c.env.incoming);
      throw error;
    });
    const { key, type, name, size } = row;
    const pixels = row.width === null || row.height === null ? {} : { width: row.width, height: row.height };
    return c.json({ key, url: links.to(key, type), type, name, size, ...pixels }, 201);
  });
  app.all("/media", (c) => {
    c.header("Allow", "POST, OPTIONS");
    throw new RelayError("method_not_allowed");
  });
  app.get("/media/:file", (c) => download(deps, c));

  app.onError((error, c) => {
    const { code, field, details, status } = refusalOf(error, c, log);
    log("upload.refused", { code });
    if (isUnauthenticated(error)) closeUnlessDone(c.env.incoming);
    // Somebody follows a link to a file that has expired or is deleted.
    if (code === "not_found" && acceptsPage(c)) return missingPage(c, "linkGone");
    c.header("Cache-Control", "no-store");
    // Any page may read download errors, to show that a picture no longer exists.
    if (c.req.path !== "/media") c.header("Access-Control-Allow-Origin", "*");
    if (details.retryAfter !== undefined) c.header("Retry-After", String(Math.ceil(details.retryAfter / 1_000)));
    const about = field === undefined ? {} : { field };
    return c.json({ error: ERRORS[code][1], code, ...about, ...details }, status as 400);
  });
  return app;
}

/** The error that the client sees. An upload whose client disconnected is no error of the relay. */
function refusalOf(error: unknown, c: C, log: Log): RelayError {
  if (error instanceof RelayError) return error;
  const { errored, complete } = c.env.incoming;
  if (!complete && (error === errored || codeOf(error) === "ERR_STREAM_PREMATURE_CLOSE"))
    return new RelayError("cut_off");
  log("relay.internal", { where: c.req.routePath, cause: String(error) });
  return new RelayError("internal");
}

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;

/** Whether the client has no valid token; the rest of its body is then discarded only briefly. */
const isUnauthenticated = (error: unknown): boolean =>
  error instanceof RelayError && ["unauthorized", "origin_not_allowed", "method_not_allowed"].includes(error.code);

async function upload({ uploads, findByToken, wait }: MediaDeps, c: C): Promise<MediaRow> {
  const { incoming } = c.env;
  const token = /^Bearer ([\w.-]+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
  const session = token === undefined ? undefined : await findByToken(token, c.req.header("origin") ?? "", incoming);
  if (session === undefined) throw new RelayError("unauthorized");
  const retryAfter = wait(incoming, session.site);
  if (retryAfter > 0) throw new RelayError("rate_limited", undefined, { retryAfter });
  const name = nameOf(c.req.header("x-file-name") ?? "");
  const source = incoming.iterator({ destroyOnReturn: false });
  const cutOff = (): void => void (incoming.complete || incoming.destroy());
  return uploads.take({ ...session, name, source, cutOff });
}

function nameOf(header: string): string {
  try {
    return decodeURIComponent(header);
  } catch {
    throw new RelayError("bad_name", "x-file-name");
  }
}

/** Reads and discards the rest of a refused body, within limits of size and time. */
async function discard(incoming: IncomingMessage): Promise<void> {
  if (incoming.readableEnded || incoming.destroyed) return;
  let size = 0;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, DISCARD_MS).unref();
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    incoming.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > DISCARD_MAX) done();
    });
    incoming.once("end", done).once("close", done).once("error", done);
  });
}

async function download({ db, files, links, log }: MediaDeps, c: C): Promise<Response> {
  const [, key] = FILE.exec(c.req.param("file") ?? "") ?? [];
  const { exp = "", sig = "" } = c.req.query();
  if (key === undefined || !links.open(key, exp, sig)) throw new RelayError("not_found");
  const row = await findMedia(db, key);
  if (row === undefined) throw new RelayError("not_found");
  const etag = `"${key}"`;
  const headers = new Headers({ ...DOWNLOAD_HEADERS, ...describe(row), ETag: etag });
  if (c.req.header("if-none-match") === etag) return new Response(null, { status: 304, headers });
  const range = rangeOf(c.req.header("range"), c.req.header("if-range"), etag, row.size);
  if (range === "unsatisfiable") {
    headers.set("Content-Range", `bytes */${row.size}`);
    headers.delete("Content-Disposition");
    return new Response(null, { status: 416, headers });
  }
  const { from, to } = range ?? { from: 0, to: row.size - 1 };
  headers.set("Content-Length", String(to - from + 1));
  if (range !== undefined) headers.set("Content-Range", `bytes ${from}-${to}/${row.size}`);
  const status = range === undefined ? 200 : 206;
  if (c.req.raw.method === "HEAD") return new Response(null, { status, headers });
  const bytes = await files.get(key, { from, to }).catch((error: unknown) => {
    log("upload.unreadable", { cause: String(error) });
    throw new RelayError("try_later", undefined, { retryAfter: 5_000 });
  });
  if (bytes === undefined) throw new RelayError("not_found");
  return new Response(Readable.toWeb(bytes) as ReadableStream, { status, headers });
}

function describe({ type, name }: MediaRow): Record<string, string> {
  return {
    "Content-Type": type === TEXT_TYPE.type ? `${type}; charset=utf-8` : type,
    "Content-Disposition": disposition(typeOf(type).inline ? "inline" : "attachment", name),
  };
}
