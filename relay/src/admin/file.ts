import type { Media } from "@porchlight/shared/protocol";
import { html } from "hono/html";
import type { Html } from "./html.ts";

/** Returns the address of a file for a browser that shows the admin pages, given the file's key and type. */
export type LinkTo = (key: string, type: string) => string;

/** Bytes of the largest picture that a page shows. Larger ones have a link only. */
const PICTURE_MAX = 3 * 1024 * 1024;

const picture = (link: string, { type, size, width, height }: Media): Html | "" =>
  type.startsWith("image/") && size <= PICTURE_MAX && width !== undefined && height !== undefined
    ? html`<img src="${link}" width="${width}" height="${height}" loading="lazy" alt="">`
    : "";

const sizeText = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** A link to the file of a message, with the picture if it is one. The link opens another tab, and expires in one to two weeks. */
export function fileLink(file: Media, linkTo: LinkTo): Html {
  const link = linkTo(file.url, file.type);
  return html`<p class="file"><a href="${link}" target="_blank" rel="noreferrer">${picture(link, file)}${file.name}</a> <span class="note">${sizeText(file.size)}</span></p>`;
}
