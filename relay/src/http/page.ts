import { Hono } from "hono";
import { html, raw } from "hono/html";
import type { Site } from "../base/config.ts";
import { RelayError } from "../base/errors.ts";
import type { Sites } from "../records/sites.ts";
import { accentRule, NOTICE_STYLE, notice, noticeWords, VIEWPORT_FIT } from "./notice-page.ts";
import { headOf, setPageHeaders } from "./page-frame.ts";

/**
 * The Content-Security-Policy of the page: own scripts and connections, pictures of messages, and one inline style with a
 * nonce. Pages that may open the chat may frame it.
 */
function policyFor(site: Site, nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' blob: https:",
    "media-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    `frame-ancestors 'self' ${site.origins.join(" ")}`.trim(),
  ].join("; ");
}

/** The first language in `Accept-Language`. The page gets it, and the chat uses the language of its page. */
const firstLanguage = (acceptLanguage = ""): string => /^[a-z]{2,3}(-[a-z\d]{2,8})*/i.exec(acceptLanguage)?.[0] ?? "en";

/** `/c/{site}`: the chat as a full page, for links, frames, and browsers that could not load the widget. */
export function page(sites: Sites): Hono {
  const app = new Hono();
  // Browsers request this path for every page that names no icon.
  app.get("/favicon.ico", (c) => c.body(null, 204));
  return app.get("/c/:site", (c) => {
    const site = sites.find(c.req.param("site"));
    if (site === undefined) throw new RelayError("unknown_site");
    const nonce = crypto.randomUUID();
    setPageHeaders(c, policyFor(site, nonce), "no-cache");
    c.header("Vary", "Accept-Language");
    const { id, title, locale, accent } = site.public;
    const words = noticeWords(locale, c.req.header("accept-language"));
    const heading = title || words.title;
    return c.html(html`<!doctype html>
<html lang="${locale === "auto" ? firstLanguage(c.req.header("accept-language")) : locale}">
<head>
${headOf(heading, VIEWPORT_FIT)}
<style nonce="${nonce}">${raw(NOTICE_STYLE + accentRule(accent))}</style>
</head>
<body>
<noscript>${notice({ heading, below: words.needsScript, lang: words.lang, dir: words.dir })}</noscript>
<script async src="/w/${encodeURIComponent(id)}.js" data-mode="page"></script>
</body>
</html>`);
  });
}
