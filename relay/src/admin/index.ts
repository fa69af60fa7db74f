import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Clock } from "../base/clock.ts";
import type { Metrics } from "../base/metrics.ts";
import { type AdminAccess, createAccess } from "./access.ts";
import { metricsDoor } from "./metrics.ts";

export type AdminDeps = {
  clock: Clock;
  metrics: Metrics;
  /** ADMIN_TOKEN */
  token: string;
  addressOf: AdminAccess["addressOf"];
};

/** The operator's door: metrics. */
export function createAdmin({ clock, metrics, token, addressOf }: AdminDeps): Hono<{ Bindings: HttpBindings }> {
  const access = createAccess({ clock, token, addressOf });
  return new Hono<{ Bindings: HttpBindings }>().route("/", metricsDoor(metrics, access));
}
