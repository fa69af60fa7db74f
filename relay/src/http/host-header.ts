import type { IncomingMessage, RequestListener } from "node:http";

/** Characters that end a host (RFC 3986, section 3.2), white space, and the user that no Host header may have. */
const NOT_IN_HOST = /[\s/?#@\\]/;

/**
 * Whether a request has at most one Host header, with characters that a host may have. With two, a proxy in front of the relay
 * could use one and the relay the other (RFC 9112 section 3.2). Node itself refuses only a request without a Host header.
 */
export function hasOneHost({ rawHeaders, headers }: IncomingMessage): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === "host") count++;
  return count < 2 && !NOT_IN_HOST.test(headers.host ?? "");
}

/** Answers 400 to requests with more than one Host header or an invalid one, as Node does to those without one. */
export const withOneHost =
  (listener: RequestListener): RequestListener =>
  (request, response) =>
    hasOneHost(request) ? listener(request, response) : void response.writeHead(400, { Connection: "close" }).end();
