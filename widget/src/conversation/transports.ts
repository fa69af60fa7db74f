/** The real transports, and the check whether the relay can be reached at all. */

import type { OpenTransport } from "./connection.ts";
import type { Page } from "./page.ts";
import { createTransports, type Transports } from "./transport-choice.ts";
import { openSocket } from "./web-socket.ts";

/** The transports to a relay. The code of the HTTP fallback is fetched when it is needed. @param relay its origin */
export function transportsTo(relay: string, page: Page): Transports {
  const socket = openSocket(relay);
  let overHttp: OpenTransport | undefined;
  return createTransports({
    page,
    socket,
    async fallback() {
      overHttp ??= (await import("./http-fallback.ts")).httpFallback({ relay, page, socket });
      return overHttp;
    },
    reachable: () =>
      fetch(`${relay}/healthz`, { cache: "no-store", credentials: "omit" }).then(
        ({ ok }) => ok,
        () => false,
      ),
  });
}
