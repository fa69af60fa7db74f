import { Hono } from "hono";

/** What must hold before visitors are sent here. */
export type Readiness = () => Promise<boolean>;

/**
 * `/healthz`: the process answers; pages may read it, to tell a relay that is there from a proxy that speaks in its place.
 * `/readyz`: it can take messages: the store takes writes and has room, and the relay is not stopping.
 */
export function health(ready: Readiness): Hono {
  return new Hono()
    .get("/healthz", (c) => c.json({ status: "ok" }, 200, { "Access-Control-Allow-Origin": "*" }))
    .get("/readyz", async (c) => {
      const ok = await ready();
      return c.json({ status: ok ? "ok" : "unavailable" }, ok ? 200 : 503);
    });
}
