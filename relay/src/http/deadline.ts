import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Clock } from "../base/clock.ts";

/** A body must be there in this time, so that slow senders cannot hold connections (RELIABILITY A24). */
const BODY_MS = 30_000;

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";

/**
 * Cuts requests off whose bodies come too slowly. Uploads are not meant: a photo over a bad line takes minutes, and the
 * server's own limit holds for them.
 */
export function withDeadline(clock: Clock, listener: RequestListener): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    if (hasBody(request) && request.url !== "/media") {
      const cancel = clock.after(BODY_MS, () => request.destroy());
      request.once("end", cancel).once("close", cancel);
    }
    return listener(request, response);
  };
}
