/** A line in a small bubble beside the launcher: once. A file of its own, because most sites have no teaser. */

import { bubble } from "./bubble.ts";
import type { Parts, Shell } from "./contract.ts";
import type { element as Element } from "./dom.ts";

/** Put in by the build: the word for closing in every language but English, by tag. */
declare const CLOSE_WORDS: Readonly<Record<string, string>> | undefined;

const KEY = "porchlight:teaser";

/**
 * Shows the line, unless the visitor has put it away or opened the chat before, or has to agree to it first. See `ui/bubble.ts`.
 */
export function tease(element: typeof Element, shell: Parts & Pick<Shell, "settings">, text: string): void {
  const { dialog } = shell;
  // Before consent the launcher is all there is. The setting is as the page gave it: an empty attribute switches on.
  if (["", "true"].includes(`${shell.settings().requireConsent}`)) return;
  // Named by the panel once it has started: then the visitor has been here.
  if (dialog.hasAttribute("aria-labelledby") || dialog.open || putAway("getItem")) return;
  const page = shell.host.closest("html")?.lang ?? "";
  const wanted = shell.settings().locale;
  const close = closeWord(wanted && wanted !== "auto" ? [wanted] : [page, ...navigator.languages]);
  // A text of another direction than the page keeps its own punctuation in place.
  bubble(element, shell, { content: [element("bdi", {}, text)], close, onAway: () => putAway("setItem") });
}

/**
 * The word for closing in the first of the languages that we speak: the panel, which knows them all, is not there yet.
 * @param wanted BCP 47 tags, most wanted first
 */
export function closeWord(
  wanted: readonly string[],
  words = typeof CLOSE_WORDS === "object" ? CLOSE_WORDS : {},
): string {
  const tags = wanted.flatMap((tag) => {
    const [language = "", ...more] = tag.replaceAll("_", "-").split("-");
    const same = Object.keys(words).filter((one) => one.split("-")[0] === (language === "no" ? "nb" : language));
    // "zh-TW" is no tag of ours, but of the two Chinese it is the second.
    const traditional = /-(hant|tw|hk|mo)\b/i.test(tag) ? ["zh-Hant"] : [];
    return language === "en" ? ["en"] : [[language, ...more].join("-"), ...traditional, ...same];
  });
  const tag = tags.find((one) => one === "en" || Object.hasOwn(words, one)) ?? "en";
  return words[tag] ?? "Close";
}

/** That the visitor put it away is his own choice and may be kept. Storage throws where cookies are blocked. */
function putAway(how: "getItem" | "setItem"): unknown {
  try {
    return sessionStorage[how](KEY, "1");
  } catch {
    return null;
  }
}
