import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { LAMPS } from "./lamps.ts";
import { home, lampPage, notFoundPage, shipping } from "./pages.ts";

const FILES = {
  "frame.css": "text/css; charset=utf-8",
  "pages.css": "text/css; charset=utf-8",
  "shop.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
};

/** A strict content policy, as a careful shop would set it. The chat must work with it. */
function policy(relay: string): string {
  const socket = relay.replace(/^http/, "ws");
  return [
    "default-src 'none'",
    `script-src 'self' ${relay}`,
    `style-src 'self' ${relay}`,
    `img-src 'self' data: blob: ${relay}`,
    `connect-src ${relay} ${socket}`,
    `media-src ${relay}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

/** The demo shop's pages; `relay` is the origin that its tag names. */
export function shopApp(relay: string): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    c.header("Content-Security-Policy", policy(relay));
    c.header("Cache-Control", "no-cache");
  });
  app.get("/", (c) => c.html(home(relay)));
  app.get("/shipping", (c) => c.html(shipping(relay)));
  app.get("/lamps/:slug", (c) => {
    const lamp = LAMPS.find(({ slug }) => slug === c.req.param("slug"));
    return lamp === undefined ? c.html(notFoundPage(relay), 404) : c.html(lampPage(relay, lamp));
  });
  for (const [name, type] of Object.entries(FILES)) {
    app.get(`/${name}`, (c) => c.body(readFileSync(join(import.meta.dirname, name)), 200, { "Content-Type": type }));
  }
  app.notFound((c) => c.html(notFoundPage(relay), 404));
  return app;
}

/**
 * Opens the shop.
 * @param relay origin that the shop's tag names
 * @throws the system's error when the port is taken
 */
export async function startShop(relay: string, port: number, host: string): Promise<{ stop: () => Promise<void> }> {
  const server = createAdaptorServer({ fetch: shopApp(relay).fetch });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const stop = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    if ("closeAllConnections" in server) server.closeAllConnections();
    await closed;
  };
  return { stop };
}
