/** The newest requests and callbacks, with masked secrets. */

import { createRing, type Ring } from "./ring.ts";

/** One API request. */
export type RequestEntry = {
  at: number;
  /** Route name as in fault.ts, or "unknown". */
  route: string;
  method: string;
  /** Path and query with the key masked. */
  path: string;
  /** Status of the answer; 0: no answer. */
  status: number;
  /** The applied fault. */
  fault?: string;
  /** Parsed JSON body; a string of its size when it is larger than `BODY_KEPT`. */
  body?: unknown;
  /** Suspicious content, such as the same messageSid with another body. */
  warnings: string[];
  ms: number;
};

/** One attempt to post a callback. */
export type CallbackEntry = {
  at: number;
  kind: "reply" | "copy" | "foreign" | "recharge" | "check";
  /** Address without its last path segment, which usually is the client's secret. */
  url: string;
  messageId?: string;
  toId?: string;
  /** 0: the first attempt. */
  attempt: number;
  ok: boolean;
  status?: number;
  error?: string;
  /** First 500 characters of the client's answer. */
  answer?: string;
  payload: unknown;
  ms: number;
};

export type Journal = {
  requests: Ring<RequestEntry>;
  callbacks: Ring<CallbackEntry>;
  /** Requests refused with 401. */
  authFailures: number;
  clear(): void;
};

/** @param size entries to keep of each kind; read at each addition */
export function createJournal(size: () => number): Journal {
  const requests = createRing<RequestEntry>(size);
  const callbacks = createRing<CallbackEntry>(size);
  return {
    requests,
    callbacks,
    authFailures: 0,
    clear() {
      requests.clear();
      callbacks.clear();
      this.authFailures = 0;
    },
  };
}

/** Masks the key in the query of a path. */
export const maskKey = (path: string): string => path.replace(/([?&](?:apiKey|x-api-key|key)=)[^&#]*/gi, "$1***");

/** Masks the last path segment and the query of a callback address. */
export const maskUrl = (url: string): string => url.replace(/^(https?:\/\/[^/]+(?:\/[^/?#]+)*)\/[^/?#]+.*$/, "$1/***");

/** A payload for the journal: the owner's id is a secret. */
export function maskPayload(payload: Record<string, unknown>): Record<string, unknown> {
  const masked = { ...payload };
  for (const name of ["userId", "customData", "data"]) {
    const value = masked[name];
    if (name === "userId" && value !== undefined) masked[name] = "***";
    else if (typeof value === "object" && value !== null) masked[name] = maskPayload({ ...value });
  }
  return masked;
}
