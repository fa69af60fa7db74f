import { createServer, type RequestListener, type Server } from "node:http";
import { UPLOAD_MS } from "./route-table.ts";

/** A request's headers must arrive within this time, in milliseconds. Node checks at the same interval. */
const HEADERS_MS = 10_000;
const LOOK_MS = 2_000;

/**
 * Creates the HTTP server with its deadlines (RELIABILITY A24). By default, Node would check for late headers only every 30 s.
 */
export function createHttpServer(
  listener: RequestListener,
  { headersMs = HEADERS_MS, requestMs = UPLOAD_MS, lookMs = LOOK_MS } = {},
): Server {
  const deadlines = { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: lookMs };
  return createServer(deadlines, listener);
}
