import { Agent } from "undici";

/** Marks what was forwarded already: two relays that forward to each other must not do so for ever. */
export const FORWARDED = "x-porchlight-forwarded";

const CONNECT_MS = 3_000;
/** Comparable services give a callback 4 to 20 s in all. */
const TOTAL_MS = 8_000;

/** Hands a callback to another program on the same account. Resolves to its status; 0: no answer. */
export type Forward = (raw: string, contentType: string) => Promise<number>;

/**
 * Callbacks for somebody else's contacts go on to the address that had them before, as they came (C27). Redirects are not
 * followed: what is in them is meant for this address only.
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
