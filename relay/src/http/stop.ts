import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { html } from "hono/html";
import { RelayError } from "../base/errors.ts";
import type { Mail } from "../flows/mail/mail.ts";
import { readBytes } from "./body.ts";
import { SIZES } from "./doors.ts";

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const pageWith = (title: string, body: ReturnType<typeof html>) => html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>${title}</title><style>html{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}body{margin:3rem auto;max-width:30rem;padding:0 1rem}button{font:inherit;padding:.5em 1em}</style></head>
<body><h1>${title}</h1>${body}</body></html>`;

/**
 * `/mail/stop/{link}`: the way out that stands in every mail. A POST ends the mails at once, as mail programs do by
 * themselves (RFC 8058); looking at the page changes nothing, because scanners of mails open every link.
 */
export function stopDoor(mail: Pick<Mail, "stopBy" | "isStopLink">): Hono<{ Bindings: HttpBindings }> {
  return new Hono<{ Bindings: HttpBindings }>()
    .use("/mail/stop/*", async (c, next) => {
      c.header("Content-Security-Policy", POLICY);
      c.header("Referrer-Policy", "no-referrer");
      c.header("X-Content-Type-Options", "nosniff");
      c.header("Cache-Control", "no-store");
      await next();
    })
    .get("/mail/stop/:link", (c) => {
      if (!mail.isStopLink(c.req.param("link"))) throw new RelayError("not_found");
      return c.html(
        pageWith(
          "No more of these e-mails?",
          html`<form method="post"><button>No more of these e-mails</button></form>`,
        ),
      );
    })
    .post("/mail/stop/:link", async (c) => {
      await readBytes(c.env.incoming, SIZES.form);
      if (!(await mail.stopBy(c.req.param("link")))) throw new RelayError("not_found");
      return c.html(pageWith("Done", html`<p>Nothing more is sent to this address.</p>`));
    });
}
