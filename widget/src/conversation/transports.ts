/** The real transports, and the check whether the relay can be reached at all. */

import type { OpenTransport } from "./connection.ts";
import type { Page } from "./page.ts";
import { createTransports, type Transports } from "./transport-choice.ts";
import { openSocket } from "./web-socket.ts";

/** The code of the HTTP fallback is fetched when it is needed. */
export function waysTo(relay: string, page: Page): Transports {
  const socket = openSocket(relay);
  let lines: OpenTransport | undefined;
  return createTransports({
    page,
    socket,
    async fallback() {
      lines ??= (await import("./http-fallback.ts")).openLines({ relay, page, socket });
      return lines;
    },
    reachable: () =>
      fetch(`${relay}/healthz`, { cache: "no-store", credentials: "omit" }).then(
        ({ ok }) => ok,
        () => false,
      ),
  });
}
