/** Every error the relay shows to others: its code, its HTTP status and one sentence. */
export const ERRORS = {
  not_found: [404, "There is nothing here."],
  method_not_allowed: [405, "This address takes other methods."],
  unknown_site: [404, "No site with this key is served here."],
  origin_not_allowed: [403, "Pages of this origin may not use this chat. The owner can add it to ALLOWED_ORIGINS."],
  unknown_contact: [404, "unknown contact"],
  bad_json: [400, "The body is not a JSON object."],
  too_deep: [400, "The body is nested too deeply."],
  missing_field: [400, "A required field is missing."],
  too_large: [413, "The body is too large."],
  cut_off: [400, "The body did not come whole."],
  which_account: [422, "Several accounts may be meant: end the address with ?account= and the account."],
  try_later: [503, "This cannot be stored right now. Please try again shortly."],
  rate_limited: [429, "Too many requests."],
  unauthorized: [401, "A valid token is required."],
  forbidden: [403, "This token is not good for this."],
  invalid_field: [400, "A field is not as it must be."],
  invalid_phone: [422, "This is no phone number with a country code."],
  invalid_amount: [422, "The amount is not within what one grant may be, with at most two decimals."],
  wrong_state: [409, "This cannot be done in the state it is in."],
  refused_upstream: [422, "The messaging service refuses this."],
  unavailable_upstream: [502, "The messaging service cannot be asked right now."],
  key_missing: [400, "An Idempotency-Key of 1 to 255 visible ASCII characters is needed."],
  key_busy: [409, "A request with this Idempotency-Key is still being done."],
  key_reused: [422, "This key came before with other content."],
  bad_name: [400, "The file's name is not percent-encoded UTF-8."],
  empty_file: [400, "The file is empty."],
  quota_exceeded: [413, "There is no room for more files."],
  type_not_allowed: [415, "Files of this type are not taken."],
  bad_image: [422, "The picture is damaged."],
  too_many_pixels: [422, "The picture has more than 40 megapixels."],
  internal: [500, "Something went wrong here."],
} as const satisfies Record<string, readonly [status: number, sentence: string]>;

export type ErrorCode = keyof typeof ERRORS;

/** An error that may be shown as it is. `field` names the part of the input it is about. */
export class RelayError extends Error {
  override readonly name = "RelayError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly field: string | undefined;
  /** Numbers that go with it: `max` bytes, `retryAfter` milliseconds. */
  readonly details: { max?: number; retryAfter?: number };

  constructor(code: ErrorCode, field?: string, details: { max?: number; retryAfter?: number } = {}) {
    super(field === undefined ? ERRORS[code][1] : `${ERRORS[code][1]} (${field})`);
    this.code = code;
    this.status = ERRORS[code][0];
    this.field = field;
    this.details = details;
  }
}
