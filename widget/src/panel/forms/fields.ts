/** The fields of forms: which ones a site asks for, which are known already, and their errors. */

import type { ErrorCode } from "@porchlight/shared/protocol";
import type { CustomField, CustomFieldType } from "@porchlight/shared/site";
import type { Key } from "../../locales/en.types.ts";
import type { RareSettings } from "../../settings/rare-options.ts";
import type { Needs } from "../base/context.ts";

/** Fields whose values go into the visitor's contact details. */
export type DetailField = "name" | "email" | "phone";
/** A field of a form. @property custom present for a field that the site defines */
export type AskedField = { field: string; optional: boolean; custom?: CustomField };
/** An invalid field and its error message. */
export type FieldError = { field: string; words: string };

/** Attributes of the inputs for contact details. */
export const INPUTS: { readonly [field in DetailField]: object } = {
  name: { type: "text", autocomplete: "given-name", maxLength: 200 },
  email: { type: "email", autocomplete: "email", maxLength: 300 },
  phone: { type: "tel", autocomplete: "tel", maxLength: 64 },
};

/** Longest value of a custom field, in UTF-16 units. */
const VALUE_MAX = 500;

/** Attributes of the inputs for custom fields. `choice` and `long` use other elements. */
export const CUSTOM_INPUTS: { readonly [type in Exclude<CustomFieldType, "choice" | "long">]: object } = {
  text: { type: "text", maxLength: VALUE_MAX },
  number: { type: "number", step: "any", inputMode: "decimal" },
  date: { type: "date" },
  url: { type: "url", maxLength: VALUE_MAX },
  checkbox: { type: "checkbox", value: "1" },
};

/** The field and the message for each error code of the relay. */
export const FIELD_ERRORS: { readonly [code in ErrorCode]?: [DetailField, Key] } = {
  invalid_email: ["email", "emailWrong"],
  invalid_phone: ["phone", "phoneWrong"],
};

const isDetail = (field: string): field is DetailField => Object.hasOwn(INPUTS, field);

type CustomFields = RareSettings["customFields"];

/** A custom field, checked; undefined for one without a label, or a choice without options. */
function customField(fields: CustomFields, name: string): CustomField | undefined {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (typeof field?.label !== "string" || !field.label.trim()) return undefined;
  return field.type === "choice" && !Array.isArray(field.choices) ? undefined : field;
}

/** The fields of a setting such as `["name?", "order"]`; a `?` marks optional ones. Unknown names are ignored. */
export const fieldsOf = (setting: readonly string[], custom: CustomFields = {}): AskedField[] =>
  setting.flatMap((entry): AskedField[] => {
    const [, field = "", mark] = /^\s*(\w+)(\??)\s*$/.exec(entry) ?? [];
    const own = customField(custom, field);
    if (isDetail(field)) return [{ field, optional: mark === "?" }];
    return own ? [{ field, optional: mark === "?", custom: own }] : [];
  });

/** Leaves out fields whose values are known already, from a form or from a signed identity (WCAG 3.3.7). */
export const unansweredFields = (
  { chat }: Needs<"chat">,
  setting: readonly string[],
  custom?: CustomFields,
): AskedField[] => {
  const known = { name: chat.name.value, email: chat.email.value, phone: undefined };
  return fieldsOf(setting, custom).filter(({ field }) => !isDetail(field) || !known[field]);
};

/** The values of the custom fields as lines for the conversation, like "Order number: 1234". Empty fields are left out. */
export const linesOf = (fields: readonly AskedField[], values: Readonly<Record<string, string>>, yes: string): string =>
  fields
    .flatMap(({ field, custom }) => {
      const value = values[field];
      return custom && value ? [`${custom.label}: ${custom.type === "checkbox" ? yes : value}`] : [];
    })
    .join("\n");
