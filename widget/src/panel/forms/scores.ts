/** What a visitor can say of a conversation. */

import type { Key } from "../../text/i18n.ts";

/** From worst to best, by how many there are to choose from. */
export const SCORES: { readonly [of in 2 | 5]: readonly Key[] } = {
  2: ["rateBad", "rateGood"],
  5: ["rateAwful", "rateBad", "rateFair", "rateGood", "rateGreat"],
};
