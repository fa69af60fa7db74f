import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

/**
 * Most header fields of a request: browsers send about 20, and proxies add up to ten. A field of a few bytes takes ten times its
 * size in memory: 8,000 connections with 700 such fields each took more than 512 MB (RELIABILITY A24).
 */
export const FIELDS_MAX = 100;
/** Headers up to this size are always accepted. An ordinary request has 0.5 to 2 KB. */
const ORDINARY_SIZE = 4 * 1024;
/** Most bytes of headers of all requests that are being handled. Above it, only ordinary ones are accepted. */
const HANDLED_MAX = 16 * 1024 * 1024;
/** Bytes that separate a field's name from its value, and from the next field. */
const SEPARATORS = 4;

/** The size of a request's headers in bytes, without white space around values. */
export function headerSize({ method = "", url = "", rawHeaders }: IncomingMessage): number {
  let size = method.length + url.length + "  HTTP/1.1\r\n\r\n".length + (rawHeaders.length / 2) * SEPARATORS;
  for (const text of rawHeaders) size += text.length;
  return size;
}

/**
 * Refuses large headers while those of all other requests take much memory. A request keeps its headers until it is answered: for
 * long, if its answer is an open stream or its body is incomplete (RELIABILITY A24).
 * @param max most bytes of headers of all requests that are being handled
 */
export function limitHeaders(listener: RequestListener, max = HANDLED_MAX): RequestListener {
  let handled = 0;
  return (request, response) => {
    const size = headerSize(request);
    if (size > ORDINARY_SIZE && handled + size > max) return refuse(response);
    handled += size;
    response.once("close", () => {
      handled -= size;
    });
    return listener(request, response);
  };
}

/** Answers with 431 (RFC 6585 section 5), and closes the connection. */
function refuse(response: ServerResponse): void {
  response.writeHead(431, { Connection: "close" }).end();
}
