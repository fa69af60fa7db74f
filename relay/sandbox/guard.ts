/** Protects the control API and the inbox: only this machine may use them, and no page of another origin (BEHAVIOUR 4.12). */

import type { IncomingMessage as Request } from "node:http";
import { isLoopback, isLoopbackUrl } from "@porchlight/shared/loopback";

/**
 * Why the request is refused; `undefined` when it is allowed.
 * The Host check stops a rebound DNS name; `Sec-Fetch-Site` and `Origin` stop a page of another origin.
 * @param open also allows other machines, for a sandbox in its own container
 */
export function refusalOf(req: Request, open: boolean): string | undefined {
  const site = req.headers["sec-fetch-site"];
  if (site === "cross-site" || site === "same-site") return "Pages of other origins cannot use the controls";
  const { origin, host } = req.headers;
  if (origin !== undefined && URL.parse(origin)?.host !== host) return "Pages of other origins cannot use the controls";
  if (open) return undefined;
  if (!isLoopback(req.socket.remoteAddress ?? "")) return "The sandbox's controls are available only on this machine";
  if (!isLoopbackUrl(`http://${req.headers.host}`))
    return "The sandbox's controls are available only under a loopback name";
  return undefined;
}
