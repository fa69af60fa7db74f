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

/** Time limit for a request body, in milliseconds (RELIABILITY A24). */
export const BODY_MS = 30_000;
/** Time limit for an upload: a photo over a slow connection takes minutes. */
export const UPLOAD_MS = 300_000;

export type RouteRow = {
  /** HTTP method. `ALL` means every method that the table does not list for this path. */
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE" | "OPTIONS" | "ALL";
  path: string;
  /** Who calls it. */
  caller: "browser" | "mail reader" | "owner's backend" | "service" | "operator";
  bytes: (typeof SIZES)[keyof typeof SIZES];
  /** Time limit for the body, in milliseconds. */
  ms: number;
};

type Size = keyof typeof SIZES;
/** A row of the table of routes in `app.ts`. */
export const route = (
  caller: RouteRow["caller"],
  method: RouteRow["method"],
  path: string,
  size: Size = "none",
): RouteRow => ({
  method,
  path,
  caller,
  bytes: SIZES[size],
  ms: size === "upload" ? UPLOAD_MS : BODY_MS,
});

/** Turns a path of the table into a regular expression: `:name`, `:name{expression}`, and a `*` at the end, as in Hono. */
const expressionOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replaceAll(".", "\\.")
      .replaceAll(/:\w+(?:\{([^}]+)\})?/g, (_, own?: string) => (own === undefined ? "[^/]+" : `(?:${own})`))
      .replace(/\*$/, ".*")}$`,
  );

/** Whether a route reads the body of this request. The path has no query. */
export type ReadsBody = (method: string, path: string) => boolean;

/** Looks up in the table of routes whether a request's body is read. */
export function bodyReader(rows: readonly RouteRow[]): ReadsBody {
  const reading = rows
    .filter(({ bytes }) => bytes !== 0)
    .map(({ method, path }) => ({ method, expression: expressionOf(path) }));
  return (method, path) =>
    reading.some((route) => (route.method === "ALL" || route.method === method) && route.expression.test(path));
}
