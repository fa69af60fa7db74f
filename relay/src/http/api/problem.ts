import { ERRORS, type ErrorCode, RelayError } from "../../base/errors.ts";

/** An error as `application/problem+json` (RFC 9457). `more`: further headers. */
export function problem(error: RelayError, more: Record<string, string> = {}): Response {
  const { code, status, field, details } = error;
  const { detail, errors, done } = error instanceof Problem ? error : {};
  const body = {
    type: `urn:porchlight:problem:${code}`,
    title: ERRORS[code][1],
    status,
    code,
    ...(field === undefined ? {} : { field }),
    ...(detail === undefined ? {} : { detail }),
    ...(errors === undefined ? {} : { errors }),
    ...(done === undefined ? {} : { done }),
  };
  const headers = new Headers({ "Content-Type": "application/problem+json", ...more });
  if (details.retryAfter !== undefined) headers.set("Retry-After", String(Math.ceil(details.retryAfter / 1_000)));
  // RFC 9110, 11.6.1: a 401 names the scheme to authenticate with.
  if (status === 401) headers.set("WWW-Authenticate", 'Bearer realm="porchlight"');
  return new Response(JSON.stringify(body), { status, headers });
}

/** An error with its own text, for example the service's or a schema's. */
export class Problem extends RelayError {
  readonly detail: string;
  /** All errors, if there is more than one. */
  readonly errors: readonly { field: string; detail: string }[] | undefined;

  /** What succeeded, if the request does several things. */
  readonly done: { contactId: string; lists: readonly string[] } | undefined;

  constructor(
    code: ErrorCode,
    detail: string,
    field?: string,
    errors?: Problem["errors"],
    more: { done?: Problem["done"]; details?: RelayError["details"] } = {},
  ) {
    super(code, field, more.details);
    this.detail = detail;
    this.errors = errors;
    this.done = more.done;
  }
}
