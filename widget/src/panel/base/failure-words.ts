import type { Item } from "../../conversation/chat.ts";
import type { Key } from "../../locales/en.types.ts";
import type { Translate } from "../../text/i18n.ts";

const REASONS: { readonly [reason in NonNullable<Item["reason"]>]?: Key } = {
  rejected: "failedRejected",
  expired: "failedExpired",
  "not-configured": "failedClosed",
  stale: "failedStale",
  too_long: "failedTooLong",
  rate_limited: "failedOften",
  unknown_media: "failedFile",
};

/** Says that the message failed, and why if that is known. */
export function whyFailed(t: Translate, reason: Item["reason"]): string {
  const why = reason && REASONS[reason];
  return `${t("failed")}${why ? ` ${t(why)}` : ""}`;
}
