import { FRAME_MAX } from "@porchlight/shared/limits";

/** Largest request body in bytes, by kind. Each route counts while it reads, with `readBody`. */
export const SIZES = {
  /** The route reads no body. When a request has one anyway, the relay answers and closes the connection. */
  none: 0,
  /** Frames of a client: at most `FRAME_MAX` characters in one POST, up to three bytes each. */
  frames: 3 * FRAME_MAX,
  /** A callback of the service. */
  callback: 1024 * 1024,
  /** A request of the server API. */
  api: 256 * 1024,
  /** A short form that needs no secret: to sign in, and `List-Unsubscribe=One-Click` (RFC 8058) with a mail program's own fields. */
  form: 4 * 1024,
  /** A form of the admin pages: the selected messages, a few hundred at most. */
  admin: 64 * 1024,
  /** Set by the `UPLOAD_*_MB` settings; `files/stage` counts the bytes. */
  upload: "UPLOAD_*_MB",
} as const;

/** Time limit for the headers of every request, in milliseconds (RELIABILITY A24). */
export const HEADERS_MS = 10_000;
/** Time limit for a request body, in milliseconds. */
export const BODY_MS = 30_000;
/** Time limit for an upload: a photo over a slow connection takes minutes. */
export const UPLOAD_MS = 300_000;

/** The size and time limits of requests, by the words that the table of routes shows. */
const LIMITS = {
  "no body, 10 s": { bytes: SIZES.none, ms: HEADERS_MS },
  "4 KiB, 30 s": { bytes: SIZES.form, ms: BODY_MS },
  "64 KiB, 30 s": { bytes: SIZES.admin, ms: BODY_MS },
  "96 KiB, 30 s": { bytes: SIZES.frames, ms: BODY_MS },
  "256 KiB, 30 s": { bytes: SIZES.api, ms: BODY_MS },
  "1 MiB, 30 s": { bytes: SIZES.callback, ms: BODY_MS },
  "UPLOAD_*_MB, 300 s": { bytes: SIZES.upload, ms: UPLOAD_MS },
} as const;
type Limits = (typeof LIMITS)[keyof typeof LIMITS];

export type RouteRow = {
  /** HTTP method. `ALL` means every method that the table does not list for this path. */
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE" | "OPTIONS" | "ALL";
  path: string;
  /** Who calls it. */
  caller: "browser" | "mail reader" | "owner's backend" | "service" | "operator";
  /** The limits in words. */
  limits: keyof typeof LIMITS;
  bytes: Limits["bytes"];
  /** Time within which the request must arrive, in milliseconds. */
  ms: Limits["ms"];
};

/** A row of the table of routes in `app.ts`. */
export const route = (
  caller: RouteRow["caller"],
  method: RouteRow["method"],
  path: string,
  limits: RouteRow["limits"],
): RouteRow => ({ caller, method, path, limits, ...LIMITS[limits] });

/** Turns a path of the table into a regular expression: `:name`, `:name{expression}`, and a `*` at the end, as in Hono. */
const expressionOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replaceAll(".", "\\.")
      .replaceAll(/:\w+(?:\{([^}]+)\})?/g, (_, own?: string) => (own === undefined ? "[^/]+" : `(?:${own})`))
      .replace(/\*$/, ".*")}$`,
  );

/** The route that reads the body of this request; undefined if none does. The path has no query. */
export type RouteOfBody = (method: string, path: string) => Pick<RouteRow, "ms"> | undefined;

/** Looks up in the table of routes which route reads a request's body. */
export function bodyRoutes(rows: readonly RouteRow[]): RouteOfBody {
  const reading = rows.filter(({ bytes }) => bytes !== 0).map((row) => ({ row, expression: expressionOf(row.path) }));
  return (method, path) =>
    reading.find(({ row, expression }) => (row.method === "ALL" || row.method === method) && expression.test(path))
      ?.row;
}
