/** Checks whether the values that a page passes for the teaser, such as the value of the cart, meet the site's condition. */

import { type Condition, conditionOf } from "@porchlight/shared/condition";
import type { RawSettings } from "../settings/options.ts";

/** The page's values: an object, or an attribute's text. */
function valuesOf({ values }: RawSettings): Readonly<Record<string, unknown>> {
  try {
    return Object(typeof values === "string" ? JSON.parse(values) : values);
  } catch {
    return {};
  }
}

function meets({ sign, wanted }: Condition, value: unknown): boolean {
  if (value === undefined) return false;
  const difference = Number(value) - Number(wanted);
  switch (sign) {
    case undefined:
      return Boolean(value) && !/^(false|0)$/.test(`${value}`);
    case "=":
      return `${value}` === wanted;
    case ">":
      return difference > 0;
    case ">=":
      return difference >= 0;
    case "<":
      return difference < 0;
    case "<=":
      return difference <= 0;
  }
}

/**
 * Whether the values that the page passes meet `teaserWhen`. True without a condition; false for an invalid condition.
 * @param isReturning called for the value `returning` if the page does not pass it
 */
export function meetsCondition(settings: RawSettings, isReturning: () => boolean): boolean {
  if (!settings.teaserWhen) return true;
  const condition = conditionOf(settings.teaserWhen);
  if (!condition) return false;
  const { name } = condition;
  const values = valuesOf(settings);
  // Own properties only: other scripts may have added properties to `Object.prototype`.
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return meets(condition, name === "returning" ? (value ?? isReturning()) : value);
}
