/** The controls of forms: which fields a form asks for, and the owner's own fields. */

import { CUSTOM_FIELD_TYPES } from "@porchlight/shared/settings";
import type { CustomField, CustomFieldType } from "@porchlight/shared/site";
import { element } from "../loader/dom.ts";
import type { Control } from "./control.ts";

type CustomFields = Readonly<Record<string, CustomField>>;

/** The custom fields currently on the page. The controls of forms offer them, so they listen for changes. */
export type OfferedFields = { custom: CustomFields; listeners: (() => void)[] };

/** The fields that every site has. */
export const DETAILS: readonly [name: string, label: string][] = [
  ["name", "Name"],
  ["email", "Email"],
  ["phone", "Phone"],
];

const checkbox = (id: string, checked: boolean): HTMLInputElement => {
  const box = element("input", { type: "checkbox", id });
  box.checked = checked;
  return box;
};

/** A row with two checkboxes: whether the form asks for the field, and whether it may stay empty. */
function fieldRow(form: string, name: string, label: string, asked: boolean, optional: boolean) {
  const askBox = checkbox(`${form}-${name}`, asked);
  const optionalBox = checkbox(`${form}-${name}-optional`, optional);
  const update = (): void => {
    optionalBox.disabled = !askBox.checked;
  };
  askBox.addEventListener("input", update);
  update();
  const node = element(
    "div",
    { class: "field-row" },
    askBox,
    element("label", { for: askBox.id }, label),
    optionalBox,
    element("label", { for: optionalBox.id }, "optional", element("span", { class: "hidden" }, `: ${label}`)),
  );
  return {
    node,
    entry: (): string | undefined => (askBox.checked ? `${name}${optionalBox.checked ? "?" : ""}` : undefined),
  };
}

/** The fields of a form as checkboxes, including the owner's custom fields. */
export function formControl(name: string, own: readonly string[], offered: OfferedFields): Control {
  const node = element("div", { class: "stack", id: `set-${name}`, "data-setting": name });
  let chosen = own;
  let rows: ReturnType<typeof fieldRow>[] = [];
  const draw = (): void => {
    const custom = Object.entries(offered.custom).map(([key, { label }]) => [key, label] as const);
    rows = [...DETAILS, ...custom].map(([key, label]) =>
      fieldRow(name, key, label, chosen.includes(key) || chosen.includes(`${key}?`), chosen.includes(`${key}?`)),
    );
    node.replaceChildren(...rows.map((row) => row.node));
  };
  draw();
  const read = (): string[] => {
    chosen = rows.flatMap((row) => row.entry() ?? []);
    return chosen as string[];
  };
  offered.listeners.push(() => {
    read();
    draw();
  });
  return { node, read };
}

/** Makes the key of a field from its label: "Order number" → `orderNumber`. A number is added if another field has that key. */
export function keyOf(label: string, taken: readonly string[]): string {
  const words = label
    .normalize("NFKD")
    .replace(/[^\w\s]/g, "")
    .split(/[\s_]+/)
    .filter(Boolean);
  const joined = words.map((word, at) => (at ? word[0]?.toUpperCase() + word.slice(1) : word.toLowerCase())).join("");
  const base = (/^[a-z]/i.test(joined) ? joined : `field${joined}`).slice(0, 28);
  const isTaken = (key: string): boolean => taken.includes(key) || ["name", "email", "phone", "text"].includes(key);
  for (let count = 1; ; count++) {
    const key = count === 1 ? base : `${base}${count}`;
    if (!isTaken(key)) return key;
  }
}

const TYPE_NAMES: Readonly<Record<CustomFieldType, string>> = {
  text: "One line",
  long: "Several lines",
  number: "Number",
  date: "Date",
  url: "Web address",
  choice: "List of choices",
  checkbox: "Checkbox",
};

/** Number of the fields so far, for their ids. */
let fieldCount = 0;

/** One custom field: label, type, and the choices of a list. */
function customEntry(field: CustomField, remove: () => void) {
  fieldCount++;
  const id = `custom-${fieldCount}`;
  const label = element("input", { id: `${id}-label`, autocomplete: "off", maxlength: "80" });
  const type = element("select", { id: `${id}-type` });
  const choices = element("textarea", { id: `${id}-choices`, rows: "3", placeholder: "One per line" });
  type.append(...CUSTOM_FIELD_TYPES.map((one) => element("option", { value: one }, TYPE_NAMES[one])));
  label.value = field.label;
  type.value = field.type ?? "text";
  choices.value = field.choices?.join("\n") ?? "";
  const choiceRow = element("div", {}, element("label", { for: choices.id }, "Choices"), choices);
  const update = (): void => {
    choiceRow.hidden = type.value !== "choice";
  };
  type.addEventListener("input", update);
  update();
  const removeButton = element("button", { type: "button", class: "quiet", "aria-label": "Remove this field" }, "✕");
  removeButton.onclick = remove;
  const node = element(
    "div",
    { class: "custom-field" },
    element("div", {}, element("label", { for: label.id }, "Label"), label),
    element("div", {}, element("label", { for: type.id }, "Type"), type),
    removeButton,
    choiceRow,
  );
  const read = (): CustomField | undefined => {
    const text = label.value.trim();
    if (text === "") return undefined;
    const lines = choices.value
      .split("\n")
      .map((one) => one.trim())
      .filter(Boolean);
    const kind = type.value as CustomFieldType;
    if (kind === "choice" && lines.length === 0) return undefined;
    return {
      label: text,
      ...(kind !== "text" && { type: kind }),
      ...(kind === "choice" && { choices: lines }),
    };
  };
  return { node, label, read };
}

/** The owner's own fields. Those without a label, and lists without choices, are left out until they are complete. */
export function customFieldsControl(own: CustomFields, offered: OfferedFields): Control {
  type Entry = { key: string | undefined } & ReturnType<typeof customEntry>;
  let all: Entry[] = [];
  const list = element("div", { class: "stack" });
  const addButton = element("button", { type: "button", class: "quiet wide" }, "Add a field");
  const node = element(
    "div",
    { class: "stack", id: "set-customFields", "data-setting": "customFields" },
    list,
    addButton,
  );
  const changed = (): boolean => node.dispatchEvent(new Event("input", { bubbles: true }));
  const taken = (): string[] => all.flatMap(({ key }) => key ?? []);
  const addField = (key: string | undefined, field: CustomField): Entry => {
    const entry: Entry = {
      key,
      ...customEntry(field, () => {
        all = all.filter((one) => one !== entry);
        entry.node.remove();
        addButton.focus();
        changed();
      }),
    };
    all.push(entry);
    // The key follows the label while it is typed. Then it is fixed, so that forms keep asking for the field.
    entry.label.addEventListener("change", () => {
      const label = entry.label.value.trim();
      if (label) entry.key ??= keyOf(label, taken());
    });
    list.append(entry.node);
    return entry;
  };
  for (const [key, field] of Object.entries(own)) addField(key, field);
  addButton.onclick = () => addField(undefined, { label: "" }).label.focus();
  return {
    node,
    read() {
      const read = all.flatMap((entry) => {
        const field = entry.read();
        if (field === undefined) return [];
        return [[entry.key ?? keyOf(field.label, taken()), field] as const];
      });
      offered.custom = Object.fromEntries(read);
      for (const listener of offered.listeners) listener();
      return offered.custom;
    },
  };
}
