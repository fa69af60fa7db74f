import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Hono } from "hono";
import { html, raw } from "hono/html";
import { RelayError } from "../base/errors.ts";
import type { Sites } from "../records/sites.ts";
import { headOf, setPageHeaders } from "./page-frame.ts";
import { inScript } from "./tag-scripts.ts";

/** Content-Security-Policy: own scripts, whose styles are objects, and the widget's connections. No page may frame this one. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob: https:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/**
 * `/c/{site}/snippet`: the tag to paste, controls for its settings, and the real chat as a preview. The page is public: it
 * shows only what the tag's script shows.
 * @param options.relay the relay's public origin, or empty: the page's script then takes its own address
 * @param options.address shown until that script has run; never taken from a request
 * @param options.folder the widget's build
 */
export function snippet(options: { sites: Sites; relay: string; address: () => string; folder: string }): Hono {
  const { snippet: script } = JSON.parse(readFileSync(join(options.folder, "manifest.json"), "utf8")) as {
    snippet: string;
  };
  return new Hono().get("/c/:site/snippet", (c) => {
    const site = options.sites.find(c.req.param("site"));
    if (site === undefined) throw new RelayError("unknown_site");
    const { id, title } = site.public;
    const relay = options.address();
    const tag = `<script async src="${relay}/${id === "default" ? "widget.js" : `w/${id}.js`}" data-site="${id}"></script>`;
    setPageHeaders(c, POLICY, "no-cache");
    return c.html(html`<!doctype html>
<html lang="en">
<head>
${headOf(title === "" ? "Add the chat" : `Add the chat of ${title}`)}
<script type="application/json" id="site">${raw(inScript({ site: site.public, relay: options.relay }))}</script>
<script type="module" src="/${script}"></script>
<script async src="/w/${encodeURIComponent(id)}.js"></script>
</head>
<body>
<main>
<h1>Add the chat to your pages</h1>
<p>Paste this tag. The chat in the corner is the real one, and shows every change that you make below.</p>
${site.origins.length === 0 ? html`<p class="note">No page may open this chat yet: name your site's origin in ALLOWED_ORIGINS, like https://www.example.com. Until then, only the relay's own pages, such as this one, may open it.</p>` : ""}
<div id="tag"><pre><code>${tag}</code></pre></div>
<h2>Settings</h2>
<p>The tag contains only the settings that differ from the site's own.</p>
<div id="settings"><noscript><p>The settings need JavaScript. The tag above works as it is.</p></noscript></div>
<div id="others"></div>
<h2>Under a strict Content-Security-Policy</h2>
<p>Allow the relay in these directives. A nonce on the tag can replace the first one. Styles, fonts and frames need no directive.</p>
<pre tabindex="0" role="region" aria-label="The policy"><code>script-src ${relay};
connect-src ${relay} ${relay.replace(/^http/, "ws")};
img-src ${relay} blob:;
media-src ${relay}</code></pre>
</main>
</body>
</html>`);
  });
}
