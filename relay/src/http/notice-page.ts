/**
 * A page with one notice: a chat that does not exist, what the chat needs, a link that no longer works, or an unsubscription. It loads
 * nothing and runs no script.
 */

import type { Context } from "hono";
import { html, raw } from "hono/html";
import { ENGLISH, NOTICES } from "./notice-words.ts";
import { BUBBLE_ICON, headOf, setPageHeaders } from "./page-frame.ts";
import { wordsFor } from "./words.ts";

/** Property of the viewport that lets the page use the whole screen of phones with a notch. */
export const VIEWPORT_FIT = ", viewport-fit=cover";

/** The panel's neutral colours, radius and font sizes; dark when the visitor's system is dark. */
export const NOTICE_STYLE =
  "html{color-scheme:light dark}" +
  "body{margin:0;min-height:100dvh;font:1rem/1.5 system-ui,sans-serif;background:light-dark(#fff,#17181c);color:light-dark(#1b1c20,#f0f1f4)}" +
  ".notice{box-sizing:border-box;display:grid;place-content:center;justify-items:center;min-height:100dvh;padding:1.5rem;text-align:center}" +
  ".notice svg{width:3.5rem;height:3.5rem;padding:1rem;box-sizing:border-box;border-radius:50%;background:var(--accent);fill:var(--on-accent)}" +
  ".notice h1{margin:1.25rem 0 0;font-size:1.375rem;line-height:1.3;letter-spacing:-.01em;text-wrap:balance;overflow-wrap:anywhere}" +
  ".notice p{max-width:26rem;margin:.5rem 0 0;color:light-dark(#5c5e66,#a9abb3);text-wrap:balance}" +
  ".notice p+p{margin:0}" +
  ".notice button{min-height:2.75rem;margin-top:1.25rem;padding:.375rem 1.5rem;border:1px solid transparent;border-radius:1.375rem;background:light-dark(#1b1c20,#f0f1f4);color:light-dark(#fff,#17181c);font:inherit;font-weight:600;cursor:pointer}" +
  ".notice button:focus-visible{outline:2px solid;outline-color:light-dark(#1b1c20,#f0f1f4);outline-offset:2px}";

/**
 * The words of a notice in the visitor's language, with that language and its direction. English where there are none.
 * @param locale the site's setting; `auto`: what the browser accepts
 * @param accepted the request's Accept-Language
 */
export function noticeWords(locale: string, accepted: string | undefined) {
  const words = wordsFor(NOTICES, locale, accepted);
  return { ...ENGLISH, dir: "ltr", ...words, lang: words.lang };
}

type Markup = ReturnType<typeof html>;
/** `below`: text, or a form. `accent`: the site's colour, if the notice belongs to a site. */
export type Notice = { heading: string; below?: string | Markup; lang: string; dir: string; accent?: string };

/** Renders the notice for the body of a page whose style contains `NOTICE_STYLE`. */
export const notice = ({ heading, below, lang, dir }: Notice) =>
  html`<main class="notice" lang="${lang}" dir="${dir}">${BUBBLE_ICON}<h1>${heading}</h1>${typeof below === "string" ? html`<p>${below}</p>` : below}</main>`;

/**
 * Answers with a page that contains only a notice.
 * @param policy more directives of its Content-Security-Policy
 */
export function noticePage(c: Context, status: 200 | 404, given: Notice, policy = "form-action 'none'") {
  const nonce = crypto.randomUUID();
  setPageHeaders(c, `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; ${policy}`, "no-store");
  c.header("Vary", "Accept, Accept-Language");
  return c.html(
    html`<!doctype html>
<html lang="${given.lang}" dir="${given.dir}">
<head>
${headOf(given.heading, VIEWPORT_FIT)}
<style nonce="${nonce}">${raw(NOTICE_STYLE + accentRule(given.accent ?? ""))}</style>
</head>
<body>${notice(given)}</body>
</html>`,
    status,
  );
}

/** Whether a client accepts a page: a browser does, but a program, a script tag or `fetch` for data does not. */
export const acceptsPage = ({ req }: Context): boolean => (req.header("accept") ?? "").includes("text/html");

/**
 * Answers a browser with a page that says in the visitor's language what does not exist, and what to do.
 * @param what the key of the heading
 */
export function missingPage(c: Context, what: "noChat" | "linkGone") {
  const words = noticeWords("auto", c.req.header("accept-language"));
  // Separate paragraphs, because browsers do not balance lines around a line break.
  const reason = what === "noChat" ? html`<p>${words.oldLink}</p>` : "";
  return noticePage(c, 404, {
    heading: words[what],
    below: html`${reason}<p>${words.goBack}</p>`,
    lang: words.lang,
    dir: words.dir,
  });
}

/**
 * Custom properties with a site's accent colour (`#rgb` or `#rrggbb`), and black or white for the glyph on it, whichever has a
 * contrast of at least 3:1 (WCAG 2.2, 1.4.11).
 */
export function accentRule(accent: string): string {
  const digits = accent.length === 4 ? accent.replace(/[\da-f]/gi, "$&$&") : accent;
  const colour = /^#[\da-f]{6}$/i.test(digits) ? digits : "#4f46e5";
  const light = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const [red = 0, green = 0, blue = 0] = light;
  const isBright = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.29;
  return `:root{--accent:${colour};--on-accent:${isBright ? "#111" : "#fff"}}`;
}
