/** Why a message was not sent, in the visitor's words. Fetched with the first failure. */

import type { Item } from "../chat.ts";
import { addEnglish, type Key, type Translate } from "../i18n.ts";
import { rare } from "../locales/en.rare.ts";

addEnglish(rare);

const REASONS: { readonly [reason in NonNullable<Item["reason"]>]?: Key } = {
  rejected: "failedRejected",
  expired: "failedExpired",
  "not-configured": "failedClosed",
  stale: "failedStale",
  too_long: "failedTooLong",
  rate_limited: "failedOften",
  unknown_media: "failedFile",
};

/** That it failed, and why where that is known. */
export function whyFailed(t: Translate, reason: Item["reason"]): string {
  const why = reason && REASONS[reason];
  return `${t("failed")}${why ? ` ${t(why)}` : ""}`;
}
