import { Agent } from "undici";

/** Marks forwarded callbacks, so that two relays do not forward to each other endlessly. */
export const FORWARDED = "x-porchlight-forwarded";

/** Time limit for the connection, in ms. */
const CONNECT_MS = 3_000;
/** Time limit for the whole request, in ms. Comparable services wait 4 to 20 s for the answer to a callback. */
const TOTAL_MS = 8_000;

/** Forwards a callback to another program on the same account. Resolves to the HTTP status; 0 without an answer. Never rejects. */
export type Forward = (raw: string, contentType: string) => Promise<number>;

/**
 * Creates the function that forwards callbacks for contacts of other relays, unchanged, to the address that received them
 * before (C27). It does not follow redirects, because the content is for this address only.
 */
export function createForward(url: string): { post: Forward; close: () => Promise<void> } {
  const { origin, pathname, search } = new URL(url);
  const agent = new Agent({ connections: 8, pipelining: 1, connect: { timeout: CONNECT_MS } });
  return {
    async post(raw, contentType) {
      try {
        const { statusCode, body } = await agent.request({
          origin,
          path: pathname + search,
          method: "POST",
          headersTimeout: TOTAL_MS,
          bodyTimeout: TOTAL_MS,
          signal: AbortSignal.timeout(TOTAL_MS),
          headers: { "content-type": contentType, "user-agent": "porchlight", [FORWARDED]: "1" },
          body: raw,
        });
        await body.dump();
        return statusCode;
      } catch {
        return 0;
      }
    },
    close: () => agent.destroy(),
  };
}
