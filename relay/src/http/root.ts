import { Hono } from "hono";
import { html } from "hono/html";
import type { Sites } from "../records/sites.ts";
import { headOf, setPageHeaders } from "./page-frame.ts";

const STYLE = `html{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif;color:light-dark(#1c1b19,#ece9e4);background:light-dark(#faf9f7,#171614)}
body{margin:0;min-height:100dvh;display:grid;place-content:center;padding:2rem 1rem;box-sizing:border-box}
main{max-width:32rem}h1{font-size:1.5rem;margin:0 0 .5rem}ul{padding-left:1.2rem}li{margin:.4rem 0}a{color:light-dark(#8a4b08,#f0b26b)}`;

/**
 * `GET /`: links to the operator's pages, the page that makes the tag, and the API. It is public, so it names a site only when
 * there is just one.
 * @param admin whether the operator's pages are on this listener
 */
export function root({ sites, admin }: { sites: Sites; admin: boolean }): Hono {
  const links = (): (readonly [string, string])[] => {
    const [only, ...others] = sites.all;
    const id = others.length === 0 ? only?.public.id : undefined;
    return [
      ...(admin ? ([["/admin", "Operator's pages"]] as const) : []),
      ...(id === undefined
        ? []
        : ([
            [`/c/${encodeURIComponent(id)}/snippet`, "The tag for your pages"],
            [`/c/${encodeURIComponent(id)}`, "The chat as a page"],
          ] as const)),
      ["/api", "Server API"],
    ];
  };
  return new Hono().get("/", (c) => {
    const nonce = crypto.randomUUID();
    const policy = `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`;
    setPageHeaders(c, policy, "no-store");
    return c.html(html`<!doctype html>
<html lang="en">
<head>
${headOf("Porchlight")}
<style nonce="${nonce}">${STYLE}</style>
</head>
<body><main><h1>Porchlight</h1><p>The relay of a live chat runs here.</p>
<ul>${links().map(([path, words]) => html`<li><a href="${path}">${words}</a></li>`)}</ul></main></body>
</html>`);
  });
}
