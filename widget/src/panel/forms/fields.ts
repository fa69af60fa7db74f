/** The fields of forms: what a site asks for, what is known already, and what is wrong with an answer. */

import type { ErrorCode } from "@porchlight/shared/protocol";
import type { Key } from "../../text/i18n.ts";
import type { Needs } from "../base/context.ts";

/** Fields whose values go into the visitor's contact details. */
type DetailField = "name" | "email" | "phone";
export type Asked = { field: DetailField; optional: boolean };
/** The field that is wrong, and what is wrong with it in words. */
export type Complaint = { field: string; words: string };

/** Attributes of the inputs. */
export const INPUTS = {
  name: { type: "text", autocomplete: "given-name", maxLength: 200 },
  email: { type: "email", autocomplete: "email", maxLength: 300 },
  phone: { type: "tel", autocomplete: "tel", maxLength: 64 },
} as const;

/** The field that each error code of the relay is about, and its words. */
export const COMPLAINTS: { readonly [code in ErrorCode]?: [DetailField, Key] } = {
  invalid_email: ["email", "emailWrong"],
  invalid_phone: ["phone", "phoneWrong"],
};

/** The fields of a setting such as `["name?", "email"]`; a `?` marks optional ones. Unknown names are ignored. */
export const fieldsOf = (setting: readonly string[]): Asked[] =>
  setting.flatMap((entry) => {
    const [, field, mark] = /^\s*(name|email|phone)(\??)\s*$/.exec(entry) ?? [];
    return field ? [{ field: field as DetailField, optional: mark === "?" }] : [];
  });

/** The same without the fields that are known already, from a form or signed (WCAG 3.3.7). */
export const stillAsked = ({ chat }: Needs<"chat">, setting: readonly string[]): Asked[] => {
  const known = { name: chat.name.value, email: chat.email.value, phone: undefined };
  return fieldsOf(setting).filter(({ field }) => !known[field]);
};
