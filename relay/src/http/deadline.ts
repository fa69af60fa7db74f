import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Clock } from "../base/clock.ts";
import { hasBody } from "./body.ts";
import { BODY_MS, type ReadsBody } from "./route-table.ts";

/**
 * Destroys connections whose request bodies arrive too slowly, so that slow clients cannot hold them (RELIABILITY A24). Uploads
 * have the server's own limit. If no route reads the body, the connection ends with the answer.
 */
export function withDeadline(clock: Clock, readsBody: ReadsBody, listener: RequestListener): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    if (hasBody(request)) {
      const path = request.url?.split("?")[0] ?? "";
      if (!readsBody(request.method ?? "", path)) response.shouldKeepAlive = false;
      if (path !== "/media") {
        const cancel = clock.after(BODY_MS, () => request.destroy());
        request.once("end", cancel).once("close", cancel);
      }
    }
    return listener(request, response);
  };
}
