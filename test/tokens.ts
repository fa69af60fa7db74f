import { openDatabase } from "../relay/src/db/open.ts";
import { openApi } from "../relay/src/http/api/openapi.ts";
import { OPERATIONS } from "../relay/src/http/api/operations.ts";
import { addToken, SCOPES, type Scope } from "../relay/src/records/tokens.ts";
import type { Harness } from "./harness.ts";

/** Creates a token for the harness's server API in the database, like the command line, while the relay runs. */
export async function tokenFor(harness: Harness, scopes: readonly Scope[] = SCOPES, site = "default"): Promise<string> {
  const db = await openDatabase(harness.databaseUrl);
  const { text } = await db.transaction((tx) => addToken(tx, { site, name: "tests", scopes, now: Date.now() }));
  await db.close();
  return text;
}

export type Answer = { status: number; headers: Headers; body: Record<string, unknown> };

/**
 * Repeats a request under the same key while the relay answers 502 (service not reached), like a backend. The relay stores
 * nothing of such an attempt.
 */
export const retryingFetch: typeof fetch = async (...ask) => {
  for (let left = 20; ; left--) {
    const response = await fetch(...ask);
    if (response.status !== 502 || left === 0) return response;
    await response.body?.cancel();
  }
};

const { paths } = openApi(OPERATIONS, "");

/** @throws Error when the OpenAPI document does not list this status for the operation */
function assertDocumented(method: string, path: string, status: number): void {
  const [at = ""] = `/api/v1${path}`.split("?");
  const fits = (template: string): boolean => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(at);
  const operations = Object.entries(paths).flatMap(([template, methods]) => (fits(template) ? [methods] : []));
  const described = operations.flatMap((methods) => methods[method.toLowerCase()] ?? []) as { responses: object }[];
  if (described.length > 0 && !described.some(({ responses }) => status in responses))
    throw new Error(`${method} ${path} answered ${status}, which the API's document does not list`);
}

/** Calls the API like a backend. */
export const caller =
  (harness: Harness, token: string, fetch: typeof globalThis.fetch = globalThis.fetch) =>
  async (method: string, path: string, body?: object, key?: string): Promise<Answer> => {
    const response = await fetch(`${harness.url}/api/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        ...(key === undefined ? {} : { "Idempotency-Key": key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assertDocumented(method, path, response.status);
    return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
  };
