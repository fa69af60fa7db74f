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
  // RFC 9110, 11.6.1: who is refused is told how to come back.
  if (status === 401) headers.set("WWW-Authenticate", 'Bearer realm="porchlight"');
  return new Response(JSON.stringify(body), { status, headers });
}

/** An error with words of its own, like those of the service or of a schema. */
export class Problem extends RelayError {
  readonly detail: string;
  /** Everything that is wrong, where it is more than one thing. */
  readonly errors: readonly { field: string; detail: string }[] | undefined;

  /** What was done nevertheless, where a request does more than one thing. */
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
