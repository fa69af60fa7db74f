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
  /** Time limit for the whole request in milliseconds; default 15 s. */
  within?: number;
};

/** The answer to a hook. `status`: HTTP status; 0 without an answer, and then `text` is the reason. */
export type HookAnswer = { status: number; text: string };

/** Time limits for the connection and for the whole request, in ms. */
const CONNECT_MS = 5_000;
const TOTAL_MS = 15_000;
/** Connections to one origin, which may serve many sites. */
const CONNECTIONS_PER_ORIGIN = 64;
/** Most bytes of an answer that are read. */
const ANSWER_MAX = 16 * 1024;

/** The bytes of a secret in either form. */
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

/** Sends webhooks. `post` never rejects; its `now` is in ms since 1970. */
export type Hooks = { post: (hook: Hook, now: number) => Promise<HookAnswer>; close: () => Promise<void> };

/** Creates the sender of webhooks. It follows no redirects, because the signed body is for the configured address only. */
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

/** The code of an error, or `no answer` if the code is not a text: the `TimeoutError` of the DOM has a number. */
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
