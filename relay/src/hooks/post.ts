import { createHmac } from "node:crypto";
import { Agent } from "undici";

/** A POST to the owner's backend, in the Standard Webhooks form (standardwebhooks.com, symmetric signatures). */
export type Hook = {
  url: string;
  /** `whsec_` and base64, or any text. */
  secret: string;
  /** Id of the event: the same in every attempt, so that the receiver can recognise repeats. */
  id: string;
  body: string;
  /** Longest time of the request in milliseconds; default 15 s. */
  within?: number;
};

/** The answer to a hook. Status 0: no answer. */
export type HookAnswer = { status: number; text: string };

const CONNECT_MS = 5_000;
const TOTAL_MS = 15_000;
/** Connections to one origin, which may serve many sites. */
const CONNECTIONS_PER_ORIGIN = 64;
const ANSWER_MAX = 16 * 1024;

const keyOf = (secret: string): Buffer =>
  secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret);

/**
 * The value of `webhook-signature`: HMAC-SHA256 over id, time and body.
 * @param seconds since 1970
 */
export function signatureOf(secret: string, id: string, seconds: number, body: string): string {
  const mac = createHmac("sha256", keyOf(secret)).update(`${id}.${seconds}.${body}`).digest("base64");
  return `v1,${mac}`;
}

export type Hooks = { post: (hook: Hook, now: number) => Promise<HookAnswer>; close: () => Promise<void> };

/** Sends webhooks. Redirects are not followed: the signed body is for the configured address only. */
export function createHooks(): Hooks {
  const agent = new Agent({ connections: CONNECTIONS_PER_ORIGIN, pipelining: 1, connect: { timeout: CONNECT_MS } });
  return {
    async post({ url, secret, id, body, within }, now) {
      const seconds = Math.floor(now / 1_000);
      try {
        const { statusCode, body: answer } = await agent.request({
          origin: new URL(url).origin,
          path: new URL(url).pathname + new URL(url).search,
          method: "POST",
          headersTimeout: TOTAL_MS,
          bodyTimeout: TOTAL_MS,
          body,
          signal: AbortSignal.timeout(within ?? TOTAL_MS),
          headers: {
            "content-type": "application/json",
            "user-agent": "porchlight",
            "webhook-id": id,
            "webhook-timestamp": String(seconds),
            "webhook-signature": signatureOf(secret, id, seconds, body),
          },
        });
        return { status: statusCode, text: await beginningOf(answer) };
      } catch (error) {
        return { status: 0, text: reasonOf(error) };
      }
    },
    close: () => agent.destroy(),
  };
}

/** The code of an error; `no answer` without a text code: a request that took too long has a number (DOM, "TimeoutError"). */
function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "no answer";
}

/** The first part of a body; the rest is not read. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size > ANSWER_MAX) break;
  }
  return Buffer.concat(parts).toString().slice(0, ANSWER_MAX);
}
