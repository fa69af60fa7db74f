import type { Translate } from "../../text/i18n.ts";

/** The characters that are left, or too many, in words. False while more than a tenth of `max` is left. */
export function roomLeft(t: Translate, { length }: string, max: number): string | false {
  const left = max - length;
  return left < 0 ? t("tooLong", { n: -left }) : left <= max / 10 && t("left", { n: left });
}
