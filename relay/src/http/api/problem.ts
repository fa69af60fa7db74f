import { ERRORS, type ErrorCode, RelayError } from "../../base/errors.ts";

/** An error as `application/problem+json` (RFC 9457). */
export function problem(error: RelayError, detail?: string): Response {
  const { code, status, field, details } = error;
  const body = {
    type: `urn:porchlight:problem:${code}`,
    title: ERRORS[code][1],
    status,
    code,
    ...(field === undefined ? {} : { field }),
    ...(detail === undefined ? {} : { detail }),
  };
  const headers = new Headers({ "Content-Type": "application/problem+json" });
  if (details.retryAfter !== undefined) headers.set("Retry-After", String(Math.ceil(details.retryAfter / 1_000)));
  return new Response(JSON.stringify(body), { status, headers });
}

/** An error with words of its own, like those of the service or of a schema. */
export class Problem extends RelayError {
  readonly detail: string;

  constructor(code: ErrorCode, detail: string, field?: string) {
    super(code, field);
    this.detail = detail;
  }
}
