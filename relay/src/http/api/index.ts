import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { createHandlers, type Flows } from "./handlers.ts";
import { openApi } from "./openapi.ts";
import { OPERATIONS } from "./operations.ts";
import { apiPage } from "./page.ts";
import { type ApiDeps, api } from "./router.ts";

type ServerApiDeps = Omit<ApiDeps, "handlers"> & {
  flows: Flows;
  /** The relay's public origin; empty when the settings do not name one. */
  relay: string;
  /** The relay's address for people to read; never taken from a request. */
  address: () => string;
};

/** `/api/v1`, its OpenAPI document and its page. */
export function serverApi({ flows, relay, address, ...deps }: ServerApiDeps): Hono<{ Bindings: HttpBindings }> {
  let made: ReturnType<typeof openApi> | undefined;
  /** Made at the first request, to keep the start fast. */
  const document = (): ReturnType<typeof openApi> => (made ??= openApi(OPERATIONS, relay));
  let page: { address: string; html: ReturnType<typeof apiPage> } | undefined;
  /** Made once for each address: it takes ten times as long as any other answer (RELIABILITY A24). */
  const pageFor = (address: string): ReturnType<typeof apiPage> => {
    if (page?.address !== address) page = { address, html: apiPage(address, document()) };
    return page.html;
  };
  return new Hono<{ Bindings: HttpBindings }>()
    .get("/openapi.json", (c) => c.json(document()))
    .get("/api", (c) => {
      c.header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
      return c.html(pageFor(address()));
    })
    .route("/", api({ ...deps, handlers: createHandlers(flows) }));
}
