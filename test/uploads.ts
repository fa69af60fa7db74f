import type { Media } from "@porchlight/shared/protocol";
import type { Harness } from "./harness.ts";
import type { Visitor } from "./visitor.ts";

export type Uploaded = Media & { key: string };
export type Refused = { error: string; code: string; field?: string; max?: number; retryAfter?: number };

type Request = {
  name?: string;
  /** The session token, by default the visitor's. `null`: the request has none. */
  token?: string | null;
  origin?: string | null;
  headers?: Record<string, string>;
};

/** Uploads bytes like the widget. */
export async function upload(harness: Harness, visitor: Visitor, body: RequestInit["body"], request: Request = {}) {
  const { name = "photo.png", token = visitor.token(), origin = harness.host, headers } = request;
  const response = await fetch(`${harness.url}/media`, {
    method: "POST",
    body: body ?? null,
    headers: {
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(origin === null ? {} : { Origin: origin }),
      "Content-Type": "application/octet-stream",
      "X-File-Name": encodeURIComponent(name.toWellFormed()),
      ...headers,
    },
    ...(body instanceof ReadableStream ? { duplex: "half" as const } : {}),
  });
  return { status: response.status, headers: response.headers, answer: (await response.json()) as Uploaded & Refused };
}
