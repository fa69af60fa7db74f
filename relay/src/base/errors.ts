/** Every error that clients can see: code, HTTP status and message. */
export const ERRORS = {
  not_found: [404, "Not found."],
  method_not_allowed: [405, "This path does not support the method."],
  unknown_site: [404, "Unknown site key."],
  origin_not_allowed: [403, "This origin may not use the chat. The owner can add it to ALLOWED_ORIGINS."],
  unknown_contact: [404, "unknown contact"],
  bad_json: [400, "The body is not a JSON object."],
  too_deep: [400, "The body is nested too deeply."],
  missing_field: [400, "A required field is missing."],
  too_large: [413, "The body is too large."],
  cut_off: [400, "The request ended before its body was complete."],
  which_account: [422, "The account is ambiguous: add ?account= with its name to the address."],
  try_later: [503, "Temporarily unable to store this. Please try again shortly."],
  deletion_begun: [503, "The deletion has begun but has not finished. The relay finishes it by itself."],
  rate_limited: [429, "Too many requests."],
  unauthorized: [401, "A valid token is required."],
  forbidden: [403, "Token lacks the required scope."],
  invalid_field: [400, "A field is invalid."],
  invalid_phone: [422, "Not a phone number with a country code."],
  invalid_amount: [422, "The amount exceeds the limit for one grant, or has more than two decimals."],
  wrong_state: [409, "The current state does not allow this."],
  refused_upstream: [422, "The messaging service refused the request."],
  unavailable_upstream: [502, "The messaging service is unavailable right now."],
  key_missing: [400, "An Idempotency-Key of 1 to 255 visible ASCII characters is required."],
  key_busy: [409, "A request with this Idempotency-Key is still in progress."],
  key_reused: [422, "This key was used before with a different request."],
  bad_name: [400, "The file's name is not percent-encoded UTF-8."],
  empty_file: [400, "The file is empty."],
  quota_exceeded: [413, "The storage quota for files is used up."],
  type_not_allowed: [415, "Files of this type are not allowed."],
  bad_image: [422, "The picture is damaged."],
  too_many_pixels: [422, "The picture has more than 40 megapixels."],
  internal: [500, "Internal error."],
} as const satisfies Record<string, readonly [status: number, sentence: string]>;

/** A code of `ERRORS`. Clients see it. */
export type ErrorCode = keyof typeof ERRORS;

/** An error that the relay sends to the client. `field` names the invalid part of the input. */
export class RelayError extends Error {
  override readonly name = "RelayError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly field: string | undefined;
  /** `max`: bytes; `retryAfter`: milliseconds. */
  readonly details: { max?: number; retryAfter?: number };

  constructor(code: ErrorCode, field?: string, details: { max?: number; retryAfter?: number } = {}) {
    super(field === undefined ? ERRORS[code][1] : `${ERRORS[code][1]} (${field})`);
    this.code = code;
    this.status = ERRORS[code][0];
    this.field = field;
    this.details = details;
  }
}
