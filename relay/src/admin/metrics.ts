import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Metrics } from "../base/metrics.ts";
import type { AdminAccess } from "./access.ts";

/** `GET /metrics` for Prometheus: `Authorization: Bearer` and ADMIN_TOKEN or ADMIN_READ_TOKEN. */
export function metricsRoute(metrics: Pick<Metrics, "text" | "contentType">, access: AdminAccess) {
  return new Hono<{ Bindings: HttpBindings }>().get("/metrics", async (c) => {
    const [, token = ""] = /^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
    const { incoming } = c.env;
    const viewer = (await access.credentialOf(access.networkOf(incoming), token, incoming.headers.host))?.viewer;
    // The series cover all sites, so a reader of one site may not see them.
    if (viewer === undefined || viewer.site !== null)
      return c.text("Unauthorized\n", 401, { "WWW-Authenticate": 'Bearer realm="metrics"' });
    return c.body(await metrics.text(), 200, { "Content-Type": metrics.contentType, "Cache-Control": "no-store" });
  });
}
