/**
 * Tells the page's author in the console which settings are wrong. Fetched on a developer's machine only, so it costs visitors
 * nothing. Wrong values are ignored everywhere.
 */

import { isLoopback } from "@porchlight/shared/loopback";
import { fromAttribute, SETTINGS, settingProblemOf } from "@porchlight/shared/settings";

/** Settings outside the table `SETTINGS`: only a page sets them, or the relay writes them into the script. */
const UNLISTED = ["id", "uploads", "site", "relay", "mode", "manual", "campaign", "values"];

/**
 * Whether a name differs from a known one by at most two letters (Levenshtein distance). Any other unknown name may be an
 * attribute of another tool.
 */
function isLike(name: string, known: string): boolean {
  let row = Array.from({ length: known.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...name].entries()) {
    const next = [at + 1];
    for (const [to, other] of [...known].entries()) {
      const [left = 0, above = 0, corner = 0] = [next[to], row[to + 1], row[to]];
      next.push(Math.min(left + 1, above + 1, corner + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return (row.at(-1) ?? 9) <= 2;
}

/**
 * One sentence for each wrong setting, which begins with its name.
 * @param settings unchecked, from all layers
 */
export function problemsOf(settings: object): string[] {
  const known = Object.keys(SETTINGS);
  return Object.entries(settings).flatMap(([name, value]) => {
    if (value === undefined || UNLISTED.includes(name)) return [];
    if (!known.includes(name)) {
      const meant = known.find((other) => isLike(name.toLowerCase(), other.toLowerCase()));
      return meant ? [`${name} is not a setting: did you mean ${meant}?`] : [];
    }
    const wrong = settingProblemOf(name, typeof value === "string" ? fromAttribute(name, value) : value);
    return wrong ? [`${name} ${wrong}; it is ${JSON.stringify(value)}`] : [];
  });
}

/** Sites that the tags on this page name, in their order. */
function sitesOnPage(): string[] {
  // An element may shadow the document's own method.
  const tags: Iterable<HTMLScriptElement> = Document.prototype.querySelectorAll.call(document, "script[src]") as never;
  return [...tags].flatMap(({ src, dataset }) => {
    const [, path, name] = /\/(widget|w\/([^/]+))\.js\b/.exec(src) ?? [];
    const site = dataset.site ?? name;
    return path && site ? [site] : [];
  });
}

/** A sentence if another tag of the page names another site, else undefined. @param site the site that runs */
export function otherSite(site: string): string | undefined {
  const other = sitesOnPage().find((one) => one !== site);
  return other && `this page also has a tag for the site "${other}", which does not run: a page has one chat`;
}

/**
 * Warns of wrong settings, and of a tag that does not run. Only on the developer's own machine, so not on a host such as
 * `127.example.com`.
 * @param site the site that runs
 */
export function check(settings: object, site: string, host = location.hostname): void {
  if (!isLoopback(host)) return;
  const other = otherSite(site);
  for (const problem of [...problemsOf(settings), ...(other ? [other] : [])]) console.warn(`Porchlight: ${problem}`);
}
