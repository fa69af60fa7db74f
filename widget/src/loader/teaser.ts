/** Shows a text in a small bubble beside the launcher, once. A separate file, because most sites have no teaser. */

import { bubble } from "./bubble.ts";
import type { LoaderNodes, Shell } from "./contract.ts";
import type { element as Element } from "./dom.ts";
import {
  isReturningVisit,
  rememberClosed,
  rememberShown,
  removeConsentedData,
  wasTeaserSeen,
} from "./teaser-memory.ts";
import { meetsCondition } from "./teaser-values.ts";

/** Set by the build: the word for closing in every language except English, by tag. */
declare const CLOSE_WORDS: Readonly<Record<string, string>> | undefined;

/** The members of the shell that the teaser uses. */
type TeaserShell = LoaderNodes & Pick<Shell, "settings" | "lastArguments">;

type Phone = Pick<MediaQueryList, "matches" | "addEventListener">;

/** Whether a raw switch setting is on. An empty attribute means on. */
const isOn = (value: unknown): boolean => ["", "true"].includes(`${value}`);

/**
 * Shows the teaser if its conditions are met.
 * @param phone the media query for windows that are too small for a teaser
 * @returns false if it may be shown later: consent or a value that the site requires is missing, or the window is too small
 */
export function showTeaser(element: typeof Element, shell: TeaserShell, phone: Phone): boolean {
  const { host, dialog } = shell;
  const { requireConsent, teaser } = shell.settings();
  const hasConsent = shell.lastArguments.consent === true;
  if (shell.lastArguments.consent === false) removeConsentedData();
  // The panel labels the dialog when it starts, so the visitor has already used the chat.
  if (!host.isConnected || dialog.hasAttribute("aria-labelledby") || dialog.open || wasTeaserSeen(hasConsent))
    return true;
  // Before consent only the launcher shows.
  if (isOn(requireConsent) && !hasConsent) return false;
  if (!teaser || phone.matches || !meetsCondition(shell.settings(), () => hasConsent && isReturningVisit()))
    return false;
  phone.addEventListener("change", teaserBubble(element, shell, teaser), { once: true });
  if (hasConsent) rememberShown();
  return true;
}

/**
 * Shows the text in a bubble with a close button in the visitor's language, and returns a function that removes it. See
 * `bubble.ts`.
 */
function teaserBubble(element: typeof Element, shell: TeaserShell, text: string): () => void {
  const page = shell.host.closest("html")?.lang ?? "";
  const wanted = shell.settings().locale;
  const close = closeWord(wanted && wanted !== "auto" ? [wanted] : [page, ...navigator.languages]);
  // Keeps punctuation in place in a text whose direction differs from the page's.
  return bubble(element, shell, { content: [element("bdi", {}, text)], close, onClose: rememberClosed });
}

/**
 * The word for closing in the first supported language. The panel has all texts, but is not loaded yet.
 * @param wanted BCP 47 tags, most wanted first
 */
function closeWord(wanted: readonly string[], words = typeof CLOSE_WORDS === "object" ? CLOSE_WORDS : {}): string {
  const tags = wanted.flatMap((tag) => {
    const [language = "", ...more] = tag.replaceAll("_", "-").split("-");
    const same = Object.keys(words).filter((one) => one.split("-")[0] === (language === "no" ? "nb" : language));
    // "zh-TW" is not a tag of the widget; it belongs to the second of its two Chinese texts.
    const traditional = /-(hant|tw|hk|mo)\b/i.test(tag) ? ["zh-Hant"] : [];
    return language === "en" ? ["en"] : [[language, ...more].join("-"), ...traditional, ...same];
  });
  const tag = tags.find((one) => one === "en" || Object.hasOwn(words, one)) ?? "en";
  return words[tag] ?? "Close";
}
