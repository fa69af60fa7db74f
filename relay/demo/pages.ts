import { html } from "hono/html";
import { drawing, frontPagePicture } from "./drawings.ts";
import { LAMPS, type Lamp } from "./lamps.ts";

type Html = ReturnType<typeof html>;

const moth = () => html`<svg class="moth" viewBox="0 0 40 28" aria-hidden="true">
  <path d="M20 7c-3-6-12-8-18-6 0 9 5 14 11 14-4 2-5 6-4 11 6 0 9-4 11-10 2 6 5 10 11 10 1-5 0-9-4-11 6 0 11-5 11-14-6-2-15 0-18 6z"/>
</svg>`;

const price = (euros: number) => html`<span class="price">€&nbsp;${euros}</span>`;

const card = (lamp: Lamp) => html`<a class="card" href="/lamps/${lamp.slug}">
  <span class="picture">${drawing(lamp.slug, `${lamp.name}, ${lamp.kind.toLowerCase()}`)}</span>
  <span class="name">${lamp.name} ${price(lamp.price)}</span>
  <span class="kind">${lamp.kind}. ${lamp.line}</span>
</a>`;

const ask = (label: string, className = "button") =>
  html`<button class="${className}" type="button" data-chat>${label}</button>`;

/** The frame of every page: head, navigation, and the chat's tag. @param here path of the page in the navigation; empty: none */
function page(title: string, here: string, relay: string, body: Html): Html {
  const link = (path: string, label: string) =>
    html`<a href="${path}" aria-current="${path === here ? "page" : "false"}">${label}</a>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <title>${title}</title>
        <link rel="stylesheet" href="/frame.css" />
        <link rel="stylesheet" href="/pages.css" />
        <link rel="icon" href="/icon.svg" />
        <script src="/shop.js" defer></script>
        <script async src="${relay}/widget.js" data-site="default"></script>
      </head>
      <body>
        <aside class="note" aria-label="About this page">
          A demonstration shop. The lamps are drawings, and the chat answers from a sandbox.
        </aside>
        <header>
          <a class="mark" href="/">${moth()} Moth &amp; Filament</a>
          <nav aria-label="Shop">${link("/", "Lamps")} ${link("/shipping", "Shipping & returns")}</nav>
        </header>
        <main>${body}</main>
        <footer>
          <div>
            <p class="mark">${moth()} Moth &amp; Filament</p>
            <p>Lamps for quiet rooms, made one at a time.</p>
          </div>
          <div>
            <p><a href="/shipping">Shipping &amp; returns</a></p>
            <p>${ask("Ask us anything", "link")}</p>
          </div>
          <p class="small">No shop, no lamps, no orders: this page shows what Porchlight looks like on a site.</p>
        </footer>
      </body>
    </html>`;
}

/** The front page: a picture, all lamps, and the shop's promises. @param relay origin that the tag names */
export const home = (relay: string): Html =>
  page(
    "Moth & Filament: lamps for quiet rooms",
    "/",
    relay,
    html`<section class="hero">
        <div class="words">
          <h1>The good hour starts when the big light goes off.</h1>
          <p>
            We make six lamps and no others. Each is bent, blown and wired by three people in one workshop, and each can
            be taken apart with a single screwdriver.
          </p>
          <p class="actions"><a class="button" href="#lamps">See the six</a> ${ask("Ask the workshop", "button quiet")}</p>
        </div>
        <div class="picture">${frontPagePicture()}</div>
      </section>
      <section class="shelf" id="lamps" aria-labelledby="shelf">
        <h2 id="shelf">Six lamps</h2>
        <div class="grid">${LAMPS.map(card)}</div>
      </section>
      <section class="promises" aria-label="What we promise">
        <div><h3>Made to order</h3><p>Your cord length, your colour. Most lamps leave within a week.</p></div>
        <div><h3>Thirty evenings</h3><p>Live with it for thirty evenings. If it does not suit the room, send it back.</p></div>
        <div><h3>Parts for life</h3><p>Every glass, switch and screw stays on our shelf for as long as we do.</p></div>
      </section>`,
  );

/** One lamp, large, with its facts. */
export const lampPage = (relay: string, lamp: Lamp): Html =>
  page(
    `${lamp.name}, ${lamp.kind.toLowerCase()}: Moth & Filament`,
    `/lamps/${lamp.slug}`,
    relay,
    html`<article class="lamp">
        <div class="picture">${drawing(lamp.slug, `${lamp.name}, ${lamp.kind.toLowerCase()}`)}</div>
        <div class="words">
          <p class="kind">${lamp.kind}</p>
          <h1>${lamp.name}</h1>
          <p class="line">${lamp.line}</p>
          <p class="amount">${price(lamp.price)} <span>tax included</span></p>
          <p>${lamp.story}</p>
          <p class="actions">${ask(`Order ${lamp.name} in the chat`)} <a class="button quiet" href="/shipping">Shipping</a></p>
          <dl>
            ${lamp.facts.map(
              ([what, value]) =>
                html`<div>
                  <dt>${what}</dt>
                  <dd>${value}</dd>
                </div>`,
            )}
          </dl>
        </div>
      </article>
      <section class="shelf" aria-labelledby="others">
        <h2 id="others">Goes well with</h2>
        <div class="grid">${neighbours(lamp).map(card)}</div>
      </section>`,
  );

function neighbours(lamp: Lamp): Lamp[] {
  const start = LAMPS.indexOf(lamp);
  return [1, 2, 3].flatMap((step) => LAMPS[(start + step) % LAMPS.length] ?? []);
}

const RATES: [where: string, days: string, cost: string][] = [
  ["Belgium", "1 to 2 days", "€\u00a06, free above €\u00a0150"],
  ["European Union", "2 to 4 days", "€\u00a012, free above €\u00a0250"],
  ["Norway, Switzerland, United Kingdom", "3 to 6 days", "€\u00a019, duties paid by us"],
  ["Everywhere else", "5 to 10 days", "€\u00a034"],
];

/** Delivery, returns and other frequent questions. */
export const shipping = (relay: string): Html =>
  page(
    "Shipping & returns: Moth & Filament",
    "/shipping",
    relay,
    html`<article class="text">
      <h1>Shipping &amp; returns</h1>
      <p class="lead">Lamps travel in boxes of folded paper, without foam. The glass has a box of its own.</p>
      <table>
        <thead>
          <tr>
            <th scope="col">To</th>
            <th scope="col">After it is made</th>
            <th scope="col">Costs</th>
          </tr>
        </thead>
        <tbody>
          ${RATES.map(
            ([where, days, cost]) =>
              html`<tr>
                <th scope="row">${where}</th>
                <td>${days}</td>
                <td>${cost}</td>
              </tr>`,
          )}
        </tbody>
      </table>
      <h2>Sending a lamp back</h2>
      <p>You have thirty days from the day it arrives. Write to us, and a courier collects it; we pay for the return.</p>
      <h2>When glass arrives broken</h2>
      <p>Send a photo. The new one leaves the next morning, and you keep the pieces.</p>
      <p class="actions">${ask("Ask about an order")}</p>
    </article>`,
  );

/** The page for unknown addresses. */
export const notFoundPage = (relay: string): Html =>
  page(
    "Nothing here: Moth & Filament",
    "",
    relay,
    html`<article class="text">
      <h1>This corner is dark.</h1>
      <p class="lead">There is no such page. <a href="/">The six lamps are over here.</a></p>
    </article>`,
  );
