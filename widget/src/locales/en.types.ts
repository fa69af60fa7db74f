/** The types of all texts, derived from the English ones. */

import type { rare } from "./en.rare.ts";
import type { en } from "./en.ts";

/** The forms of a text with a number, by CLDR category. */
export type Plural = { readonly other: string } & { readonly [Category in Intl.LDMLPluralRule]?: string };
type English = typeof en & typeof rare;
export type Key = keyof English;
/** All texts of one language. */
export type Messages = { readonly [K in Key]: English[K] extends string ? string : Plural };
