import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { FIELDS_MAX, limitHeaders } from "./header-limits.ts";
import { HEADERS_MS, UPLOAD_MS } from "./route-table.ts";

/** Interval at which Node checks for late headers, in milliseconds. */
const CHECK_MS = 2_000;

/**
 * Creates the HTTP server with its deadlines and the limits of headers (RELIABILITY A24). By default, Node would check for late
 * headers only every 30 s.
 * @param options.isUpgrade whether a request that offers another protocol gets it. Any other such request is answered over
 * HTTP/1.1 (RFC 9110 section 7.8), not refused: Java's HTTP client and some proxies offer `h2c` with every request. A callback
 * of the service may have such an offer too, and is sent only once
 */
export function createHttpServer(
  listener: RequestListener,
  {
    headersMs = HEADERS_MS,
    requestMs = UPLOAD_MS,
    checkMs = CHECK_MS,
    isUpgrade = (_: IncomingMessage): boolean => false,
  } = {},
): Server {
  const deadlines = { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: checkMs };
  const server = createServer({ ...deadlines, shouldUpgradeCallback: isUpgrade }, limitHeaders(listener));
  // Node answers a request with more fields with 431 (RFC 6585 section 5).
  server.maxHeadersCount = FIELDS_MAX;
  return server;
}
