import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Clock } from "../base/clock.ts";
import { closeUnlessDone, hasBody } from "./body.ts";
import { BODY_MS, type RouteOfBody, UPLOAD_MS } from "./route-table.ts";

/**
 * Destroys connections whose request bodies take longer than their route allows, so that slow clients cannot hold them
 * (RELIABILITY A24). Uploads have the server's own limit. If no route reads the body, it is discarded, and the connection ends with
 * the answer: 64 KB or more of an unread one would stay in memory for as long as the answer takes.
 */
export function withDeadline(clock: Clock, routeOfBody: RouteOfBody, listener: RequestListener): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    if (hasBody(request)) {
      const route = routeOfBody(request.method ?? "", request.url?.split("?")[0] ?? "");
      if (route === undefined) {
        response.shouldKeepAlive = false;
        closeUnlessDone(request);
      }
      const { ms } = route ?? { ms: BODY_MS };
      if (ms < UPLOAD_MS) {
        const cancel = clock.after(ms, () => request.destroy());
        request.once("end", cancel).once("close", cancel);
      }
    }
    return listener(request, response);
  };
}
