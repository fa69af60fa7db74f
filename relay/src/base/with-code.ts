import { html } from "hono/html";

type Html = ReturnType<typeof html>;

/** A text with code between backticks, as HTML. */
export const withCode = (text: string): Html =>
  html`${text.split("`").map((part, n) => (n % 2 === 1 ? html`<code>${part}</code>` : part))}`;

/** Like `withCode`, but one element, for a cell of a table: on phones, each part of a cell would have a row of its own. */
export const cellWithCode = (text: string): Html => html`<span>${withCode(text)}</span>`;
