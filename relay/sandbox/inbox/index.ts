/** The inbox: pages on which a person reads conversations live and answers as the human (BEHAVIOUR 4.12). */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Context, Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { OperationError, type Operator } from "../operator.ts";
import type { Service } from "../service.ts";
import { page } from "./page.ts";
import { isPicture } from "./thread.ts";

/** Only own scripts and styles, so that content of visitors is never executed. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const FILES: Record<string, string> = {
  "frame.css": "text/css; charset=utf-8",
  "list.css": "text/css; charset=utf-8",
  "thread.css": "text/css; charset=utf-8",
  "composer.css": "text/css; charset=utf-8",
  "inbox.js": "text/javascript; charset=utf-8",
};

/** Milliseconds between two notifications of a browser. */
const NEWS_MS = 80;

/** Milliseconds between two keep-alives, because proxies and browsers close silent streams. */
const PING_MS = 20_000;

/** The routes of the inbox: its pages at `/`, its files and its forms below `/inbox`. Forms act through `operator`. */
export function inbox(service: Service, operator: Operator): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    c.header("Content-Security-Policy", POLICY);
    c.header("X-Content-Type-Options", "nosniff");
    c.header("Referrer-Policy", "same-origin");
    c.header("Cache-Control", "no-store");
  });
  app.onError((error, c) => c.text(error.message, error instanceof OperationError ? error.status : 500));
  for (const [name, type] of Object.entries(FILES)) {
    const text = readFileSync(join(import.meta.dirname, name), "utf8");
    app.get(`/inbox/${name}`, (c) => c.body(text, 200, { "Content-Type": type }));
  }
  addReadRoutes(app, service);
  addActionRoutes(app, operator);
  return app;
}

function addReadRoutes(app: Hono, service: Service): void {
  const { messages } = service;
  app.get("/", (c) => {
    const conversation = messages.conversation(c.req.query("to") ?? "");
    // A background tab does not mark the messages as viewed.
    if (conversation !== undefined && c.req.query("peek") === undefined) conversation.unread = 0;
    return c.html(page(service, conversation));
  });
  app.get("/inbox/media/:messageId", (c) => {
    const message = messages.get(c.req.param("messageId"));
    const media = message?.direction === "in" ? message.media : undefined;
    if (media?.bytes === undefined) return c.notFound();
    // A visitor chose these bytes: they are displayed as a picture or saved, but never opened as a page.
    const headers = { "Content-Type": isPicture(media.type) ? media.type : "application/octet-stream" };
    const saved = isPicture(media.type) ? {} : { "Content-Disposition": "attachment" };
    return c.body(new Uint8Array(media.bytes), 200, { ...headers, ...saved });
  });
  app.get("/inbox/events", (c) => changeStream(c, service));
}

/** Server-sent events: `change` after changes, at most one per interval. */
function changeStream(c: Context, { changes }: Service): Response {
  return streamSSE(c, async (stream) => {
    let wake: () => void = () => {};
    let isDue = false;
    const notify = () => {
      isDue = true;
      wake();
    };
    const stop = changes.watch(notify);
    const ping = setInterval(() => void stream.writeSSE({ event: "ping", data: "" }), PING_MS);
    stream.onAbort(() => {
      stop();
      clearInterval(ping);
      wake();
    });
    await stream.writeSSE({ event: "change", data: "" });
    while (!stream.aborted) {
      if (!isDue) await new Promise<void>((resolve) => (wake = resolve));
      await stream.sleep(NEWS_MS);
      isDue = false;
      await stream.writeSSE({ event: "change", data: "" });
    }
  });
}

type Form = Record<string, unknown>;

const field = (form: Form, name: string): string => {
  const value = form[name];
  return typeof value === "string" ? value : "";
};

function addActionRoutes(app: Hono, operator: Operator): void {
  const back = (c: Context, fromId: string) => c.redirect(`/?to=${encodeURIComponent(fromId)}`, 303);

  app.post("/inbox/reply", async (c) => {
    const form = await c.req.parseBody();
    const fromId = field(form, "to");
    const body = field(form, "body").trim();
    // The form does not wait for the client; the page shows the outcome later.
    if (body !== "") void operator.humanReply({ fromId, body }).catch(() => {});
    return back(c, fromId);
  });
  app.post("/inbox/resend", async (c) => {
    const form = await c.req.parseBody();
    void operator.redeliver(field(form, "messageId")).catch(() => {});
    return back(c, field(form, "to"));
  });
  app.post("/inbox/bot", async (c) => {
    const form = await c.req.parseBody();
    operator.bot({ fromId: field(form, "to") }, field(form, "active") === "true");
    return back(c, field(form, "to"));
  });
}
