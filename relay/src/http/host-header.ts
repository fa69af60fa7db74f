import type { IncomingMessage, RequestListener } from "node:http";

/** Characters that end a host (RFC 3986, section 3.2), white space, and the user that no Host header may have. */
const NOT_IN_HOST = /[\s/?#@\\]/;

/**
 * Whether a request names one host, and a possible one. With two Host headers, a proxy in front could go by one of them and the
 * relay by the other (RFC 9112 section 3.2). Node itself refuses only a request without any.
 */
export function hasOneHost({ rawHeaders, headers }: IncomingMessage): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === "host") count++;
  return count < 2 && !NOT_IN_HOST.test(headers.host ?? "");
}

/** Answers 400 to requests with more than one Host header or an impossible one, as Node does to those without one. */
export const withOneHost =
  (listener: RequestListener): RequestListener =>
  (request, response) =>
    hasOneHost(request) ? listener(request, response) : void response.writeHead(400, { Connection: "close" }).end();
