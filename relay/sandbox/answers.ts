/** The sandbox's answers: the two documented error shapes, and those that options select. */

import type { RouteName } from "./fault.ts";
import type { SandboxConfig } from "./options.ts";

export type Answer = {
  status: number;
  /** Sent as JSON unless `type` says otherwise; undefined sends nothing. */
  body?: unknown;
  type?: string;
  headers?: Record<string, string>;
};

/** Error codes with their status. Only INVALID_PHONE is the interface's; the others are invented. */
export const ERRORS = {
  INVALID_PHONE: 400,
  INVALID_EMAIL: 400,
  VALIDATION: 400,
  HTTPS_REQUIRED: 400,
  NOT_AGENCY: 400,
  INSUFFICIENT_CREDITS: 400,
  UNKNOWN_CAMPAIGN: 400,
  DUPLICATE: 400,
  UNAUTHORIZED: 401,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  ALREADY_EXISTS: 409,
  TOO_LARGE: 413,
  RATE_LIMITED: 429,
  INTERNAL: 500,
} as const;
export type ErrorCode = keyof typeof ERRORS;

export type RefusalExtras = {
  status?: number;
  headers?: Record<string, string>;
  /** Additional fields of the error body, such as the id of an existing contact. */
  also?: Record<string, unknown>;
};

/** Thrown by a check. `api.ts` converts it to the answer. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly extras: RefusalExtras;

  constructor(code: ErrorCode, message: string, extras: RefusalExtras = {}) {
    super(message);
    this.code = code;
    this.status = extras.status ?? ERRORS[code];
    this.extras = extras;
  }
}

const HTML = "text/html; charset=utf-8";

/** The page of an edge proxy that blocks a request or cannot reach the service. */
export const edgePage = (status: number): Answer => ({
  status,
  type: HTML,
  body: `<!DOCTYPE html><html><head><title>${status}</title></head><body><h1>${status}</h1><p>The request could not be served.</p><hr>edge</body></html>`,
});

/** Statuses that are set before the application, so they are never sent as a soft 200. */
const EDGE_STATUSES: readonly number[] = [401, 405, 413, 429];

/**
 * The answer for an error on `route`: the string shape on incoming, the general shape elsewhere, or as the options say.
 */
export function errorAnswer(refusal: Refusal, route: RouteName | undefined, config: SandboxConfig): Answer {
  const headers = refusal.extras.headers ?? {};
  const { status } = refusal;
  if (config.soft200Errors && !EDGE_STATUSES.includes(status)) {
    const body = { success: false, error_code: status, message: refusal.message, ...refusal.extras.also };
    return { status: 200, headers, body };
  }
  if (config.errorBody === "empty") return { status, headers };
  if (config.errorBody === "html") return { ...edgePage(status), headers };
  if (config.errorBody === "string")
    return { status, headers, type: "text/plain; charset=utf-8", body: refusal.message };
  return { status, headers, ...shaped(refusal, route, config.errorShape) };
}

/** The body of an error in one of the shapes. */
function shaped(
  refusal: Refusal,
  route: RouteName | undefined,
  shape: SandboxConfig["errorShape"],
): Pick<Answer, "body" | "type"> {
  const { code, message, status, extras } = refusal;
  const asString = { body: { error: message, ...extras.also } };
  if (shape === "plain") return { body: message };
  if (shape === "string") return asString;
  if (shape === "observed") {
    if (status === 401) return { body: message, type: "text/plain; charset=utf-8" };
    return route === "incoming" ? asString : { body: { success: false, message, ...extras.also } };
  }
  if (shape === "auto" && route === "incoming") return asString;
  return { body: { error: { code, message }, ...extras.also } };
}

const ID_FIELDS = ["id", "contactId", "contact_id", "messageId", "sub_account_id"] as const;

/** A copy of the body in which ids of at most 15 digits are JSON numbers. */
export function numericIds(body: Record<string, unknown>): Record<string, unknown> {
  const numbered = { ...body };
  for (const name of ID_FIELDS) {
    const id = numbered[name];
    if (typeof id === "string" && /^\d{1,15}$/.test(id)) numbered[name] = Number(id);
  }
  return numbered;
}

/** The body of a successful answer, with ids, extra fields and omissions as the options say. */
export function successBody(body: unknown, config: SandboxConfig): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  let shown: Record<string, unknown> = config.numericIds ? numericIds({ ...body }) : { ...body };
  shown = { ...shown, ...config.responseExtras };
  for (const name of config.responseOmit) delete shown[name];
  return shown;
}
