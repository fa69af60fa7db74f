import { Hono } from "hono";
import { html } from "hono/html";
import { PAGE_COLOURS } from "../base/page-colours.ts";
import type { Sites } from "../records/sites.ts";
import { BUBBLE_ICON, headOf, setPageHeaders } from "./page-frame.ts";

const STYLE = `${PAGE_COLOURS}
*{box-sizing:border-box}
html{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--ground)}
body{margin:0;min-height:100dvh;display:grid;align-content:center;padding:2.5rem 1rem}
main{width:100%;max-width:44rem;margin:0 auto}
header{display:flex;gap:1rem;align-items:center;margin:0 0 1.75rem}
header svg{flex:none;width:3.25rem;height:3.25rem;padding:.85rem;border-radius:50%;background:var(--accent);fill:var(--accent-ink)}
h1{font-size:1.6rem;line-height:1.2;margin:0;letter-spacing:-.01em}
p{margin:0;color:var(--soft);text-wrap:pretty}
ul{list-style:none;margin:0;padding:0;display:grid;gap:.75rem;grid-template-columns:repeat(auto-fit,minmax(min(19rem,100%),1fr))}
li:last-child:nth-child(odd){grid-column:1/-1}
a{display:block;height:100%;padding:1rem 1.15rem 1.1rem;border:1px solid var(--line);border-radius:12px;background:var(--card);color:inherit;text-decoration:none}
a:hover{border-color:var(--accent)}
a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
h2{font-size:1.05rem;margin:0 0 .15rem;color:var(--accent)}`;

/** A page to which this one leads. */
type Destination = { path: string; name: string; words: string };

const API: Destination = {
  path: "/api",
  name: "API reference",
  words: "What your backend can call, with examples to try, and the webhooks that it receives.",
};
const ADMIN: Destination = {
  path: "/admin",
  name: "Operator's pages",
  words: "How the chat is doing, every conversation, and the journey of each message.",
};
const SITES: Destination = {
  path: "/admin/sites",
  name: "Sites",
  words: "The tag of each site, and each chat as a page.",
};

/** The chat and the page of the tag of the only site. */
const destinationsOf = (id: string): Destination[] => [
  {
    path: `/c/${encodeURIComponent(id)}`,
    name: "Try the chat",
    words: "The chat as your visitors see it, on a page of its own.",
  },
  {
    path: `/c/${encodeURIComponent(id)}/snippet`,
    name: "Add it to your site",
    words: "Makes the tag for your pages, with every setting and a live preview.",
  },
];

const card = ({ path, name, words }: Destination) =>
  html`<li><a href="${path}"><h2>${name}</h2><p>${words}</p></a></li>`;

/**
 * `GET /`: leads to the chat, the page that makes the tag, the operator's pages and the API reference. It is public, so it names a
 * site only when there is just one.
 * @param admin whether the operator's pages are on this listener
 */
export function root({ sites, admin }: { sites: Sites; admin: boolean }): Hono {
  const destinations = (): Destination[] => {
    const [only, ...others] = sites.all;
    const id = others.length === 0 ? only?.public.id : undefined;
    return [
      ...(id === undefined ? [] : destinationsOf(id)),
      ...(admin ? [ADMIN] : []),
      ...(admin && id === undefined ? [SITES] : []),
      API,
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
<body><main><header>${BUBBLE_ICON}<div><h1>Porchlight</h1><p>The relay of a live chat runs here.</p></div></header>
<ul>${destinations().map(card)}</ul></main></body>
</html>`);
  });
}
