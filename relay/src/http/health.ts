import { Hono } from "hono";

/** Whether the relay can serve visitors. */
export type Readiness = () => Promise<boolean>;

/**
 * `/healthz`: the process answers. Pages may read it, to tell the relay from a proxy that answers in its place.
 * `/readyz`: the relay can take messages: the database takes writes, the disk has room, and the relay is not stopping.
 */
export function health(ready: Readiness): Hono {
  return new Hono()
    .get("/healthz", (c) => c.json({ status: "ok" }, 200, { "Access-Control-Allow-Origin": "*" }))
    .get("/readyz", async (c) => {
      const ok = await ready();
      return c.json({ status: ok ? "ok" : "unavailable" }, ok ? 200 : 503);
    });
}
