import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { html } from "hono/html";
import { RelayError } from "../base/errors.ts";
import type { Mail } from "../flows/mail/mail.ts";
import { type MailWords, mailWords } from "../hooks/mail-words.ts";
import { readBytes } from "./body.ts";
import type { BodyBudget } from "./body-budget.ts";
import { headOf, setPageHeaders } from "./page-frame.ts";
import { SIZES } from "./route-table.ts";

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** A page in the language that the browser prefers. */
function pageIn(c: Context, write: (words: MailWords) => { title: string; body?: ReturnType<typeof html> }) {
  const words = mailWords(c.req.header("accept-language")?.split(/[,;]/)[0]?.trim() || "en");
  const { title, body = "" } = write(words);
  return c.html(html`<!doctype html>
<html lang="${words.language}" dir="${words.dir}"><head>${headOf(title)}<style>html{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}body{margin:3rem auto;max-width:30rem;padding:0 1rem}h1{font-size:1.375rem;line-height:1.3}button{font:inherit;padding:.5em 1em}</style></head>
<body><h1>${title}</h1>${body}</body></html>`);
}

/**
 * `/mail/stop/{link}`: the unsubscribe link of every mail. A POST unsubscribes immediately; mail programs send it by themselves
 * (RFC 8058). A GET only shows a form and changes nothing, because mail scanners open every link.
 */
export function unsubscribePage(
  mail: Pick<Mail, "unsubscribeBy" | "isUnsubscribeLink">,
  bodies: BodyBudget,
): Hono<{ Bindings: HttpBindings }> {
  return new Hono<{ Bindings: HttpBindings }>()
    .use("/mail/stop/*", async (c, next) => {
      setPageHeaders(c, POLICY, "no-store");
      await next();
    })
    .get("/mail/stop/:link", (c) => {
      if (!mail.isUnsubscribeLink(c.req.param("link"))) throw new RelayError("not_found");
      return pageIn(c, ({ stop }) => ({
        title: stop,
        body: html`<form method="post"><button>${stop}</button></form>`,
      }));
    })
    .post("/mail/stop/:link", async (c) => {
      await readBytes(c.env.incoming, SIZES.form, bodies);
      if (!(await mail.unsubscribeBy(c.req.param("link")))) throw new RelayError("not_found");
      return pageIn(c, ({ stopped }) => ({ title: stopped }));
    });
}
