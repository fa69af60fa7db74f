import { createServer, type RequestListener, type Server } from "node:http";
import { HEADERS_MS, UPLOAD_MS } from "./route-table.ts";

/** Interval at which Node checks for late headers, in milliseconds. */
const CHECK_MS = 2_000;

/**
 * Creates the HTTP server with its deadlines (RELIABILITY A24). By default, Node would check for late headers only every 30 s.
 */
export function createHttpServer(
  listener: RequestListener,
  { headersMs = HEADERS_MS, requestMs = UPLOAD_MS, checkMs = CHECK_MS } = {},
): Server {
  const deadlines = { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: checkMs };
  return createServer(deadlines, listener);
}
