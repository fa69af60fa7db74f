import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { html } from "hono/html";
import { RelayError } from "../base/errors.ts";
import type { Mail } from "../flows/mail/mail.ts";
import { type MailWords, mailWords } from "../hooks/mail-words.ts";
import type { Sites } from "../records/sites.ts";
import { readBytes } from "./body.ts";
import type { BodyBudget } from "./body-budget.ts";
import { acceptsPage, missingPage, type Notice, noticePage } from "./notice-page.ts";
import { SIZES } from "./route-table.ts";

const POLICY = "form-action 'self'; frame-ancestors 'none'";

type Needed = {
  mail: Pick<Mail, "unsubscribeBy" | "siteOfLink">;
  sites: Pick<Sites, "find">;
  bodies: BodyBudget;
};

/** The words of the page, in the language that the browser prefers. */
const wordsOf = (c: Context): MailWords => mailWords(c.req.header("accept-language")?.split(/[,;]/)[0]?.trim() || "en");

/** The answer to a link that this relay did not sign. @throws RelayError for a program */
function linkGone(c: Context) {
  if (!acceptsPage(c)) throw new RelayError("not_found");
  return missingPage(c, "linkGone");
}

/**
 * `/mail/stop/{link}`: the unsubscribe link of every mail. A POST unsubscribes immediately; mail programs send it by themselves
 * (RFC 8058). A GET only shows a form and changes nothing, because mail scanners open every link.
 */
export function unsubscribePage({ mail, sites, bodies }: Needed): Hono<{ Bindings: HttpBindings }> {
  /** Title and colour of the site whose mail contains the link. */
  const lookOf = (link: string): { title?: string; accent?: string } =>
    sites.find(mail.siteOfLink(link) ?? "")?.public ?? {};
  return new Hono<{ Bindings: HttpBindings }>()
    .get("/mail/stop/:link", (c) => {
      const link = c.req.param("link");
      if (mail.siteOfLink(link) === undefined) return linkGone(c);
      const { stop, language: lang, dir } = wordsOf(c);
      const { title, accent = "" } = lookOf(link);
      const form = html`<form method="post"><button>${stop}</button></form>`;
      return noticePage(c, 200, { heading: title || stop, below: form, lang, dir, accent }, POLICY);
    })
    .post("/mail/stop/:link", async (c) => {
      const link = c.req.param("link");
      await readBytes(c.env.incoming, SIZES.form, bodies);
      if (!(await mail.unsubscribeBy(link))) return linkGone(c);
      const { stopped, language: lang, dir } = wordsOf(c);
      const { title, accent = "" } = lookOf(link);
      const said: Notice = { heading: title || stopped, lang, dir, accent };
      return noticePage(c, 200, title ? { ...said, below: stopped } : said, POLICY);
    });
}
