/** Shows a text in a small bubble beside the launcher, once. A separate file, because most sites have no teaser. */

import { bubble } from "./bubble.ts";
import type { Parts, Shell } from "./contract.ts";
import type { element as Element } from "./dom.ts";

/** Put in by the build: the word for closing in every language but English, by tag. */
declare const CLOSE_WORDS: Readonly<Record<string, string>> | undefined;

const KEY = "porchlight:teaser";

/**
 * Shows the teaser unless the visitor has closed it or opened the chat before, or must give consent first. See `bubble.ts`.
 */
export function tease(element: typeof Element, shell: Parts & Pick<Shell, "settings">, text: string): void {
  const { dialog } = shell;
  // Before consent only the launcher shows. The setting is raw: an empty attribute means on.
  if (["", "true"].includes(`${shell.settings().requireConsent}`)) return;
  // The panel labels the dialog when it starts, so the visitor has already used the chat.
  if (dialog.hasAttribute("aria-labelledby") || dialog.open || putAway("getItem")) return;
  const page = shell.host.closest("html")?.lang ?? "";
  const wanted = shell.settings().locale;
  const close = closeWord(wanted && wanted !== "auto" ? [wanted] : [page, ...navigator.languages]);
  // Keeps punctuation in place in a text whose direction differs from the page's.
  bubble(element, shell, { content: [element("bdi", {}, text)], close, onAway: () => putAway("setItem") });
}

/**
 * The word for closing in the first of the languages that we speak: the panel, which knows them all, is not there yet.
 * @param wanted BCP 47 tags, most wanted first
 */
function closeWord(wanted: readonly string[], words = typeof CLOSE_WORDS === "object" ? CLOSE_WORDS : {}): string {
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
