/** The scores with which a visitor can rate a conversation. */

import type { Key } from "../../locales/en.types.ts";

/** The labels from worst to best, by the number of scores. */
export const SCORES: { readonly [of in 2 | 5]: readonly Key[] } = {
  2: ["rateBad", "rateGood"],
  5: ["rateAwful", "rateBad", "rateFair", "rateGood", "rateGreat"],
};
