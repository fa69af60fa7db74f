import { pageDocument } from "../loader/document.ts";

/**
 * Languages the visitor may want, most wanted first: the site's setting, or the page's, then the browser's.
 * @param setting a BCP 47 tag or `auto`
 */
export const wantedLanguages = (setting: string): readonly string[] =>
  setting === "auto" ? [pageDocument.documentElement.lang, ...navigator.languages] : [setting];
