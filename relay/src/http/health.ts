import { Hono } from "hono";

/** What must hold before visitors are sent here. */
export type Readiness = () => Promise<boolean>;

/** `/healthz`: the process answers. `/readyz`: it can take messages: the database writes, and it is not stopping. */
export function health(ready: Readiness): Hono {
  return new Hono()
    .get("/healthz", (c) => c.json({ status: "ok" }))
    .get("/readyz", async (c) => {
      const ok = await ready();
      return c.json({ status: ok ? "ok" : "unavailable" }, ok ? 200 : 503);
    });
}
