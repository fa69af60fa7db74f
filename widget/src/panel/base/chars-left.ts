import type { Translate } from "../../text/i18n.ts";

/** How many characters are left, or over the limit, in words. False while more than a tenth of `max` is left. */
export function charsLeft(t: Translate, { length }: string, max: number): string | false {
  const left = max - length;
  return left < 0 ? t("tooLong", { n: -left }) : left <= max / 10 && t("left", { n: left });
}
