/** The controls of the page that makes the tag: one for each setting, with its value as in JSON. */

import { DAYS, spansOf } from "@porchlight/shared/hours";
import { fromAttribute, SETTINGS, type SiteSetting } from "@porchlight/shared/settings";
import type { PublicSite } from "@porchlight/shared/site";
import { element } from "../loader/dom.ts";
import type { Control } from "./control.ts";
import { customFieldsControl, DETAILS, formControl, type OfferedFields } from "./form-controls.ts";
import { choiceNameOf, labelOf } from "./names.ts";

/** Key and label of each entry; for the chat's words, every English text by its key. */
type Wording = readonly (readonly [key: string, text: string])[];

/** Whether the control of a setting has several fields. */
export const hasSeveralFields = (name: string): boolean =>
  ["hours", "strings", "phone", "prechat", "capture", "customFields", "prefill"].includes(name);

/** The site's own value of a setting; undefined if it has none. */
export const siteValueOf = (site: PublicSite, name: SiteSetting): unknown =>
  site[name] ?? (SETTINGS[name].kind === "switch" ? SETTINGS[name].fallback === "on" : undefined);

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The form field of a setting, with its current value. */
function fieldOf(name: SiteSetting, id: string, own: unknown): Field {
  const setting = SETTINGS[name];
  const value = own ?? (setting.kind === "number" ? "" : setting.fallback.replace(/^(none|the |a |first ).*/, ""));
  const ids = { id, name };
  if (setting.kind === "choice") {
    const select = element(
      "select",
      ids,
      ...setting.of.map((one) => element("option", { value: one }, choiceNameOf(name, one))),
    );
    select.value = `${value}`;
    return select;
  }
  if (setting.kind === "switch") {
    const box = element("input", { ...ids, type: "checkbox" });
    box.checked = value === true;
    return box;
  }
  if (setting.kind === "list") {
    const area = element("textarea", { ...ids, rows: "3", placeholder: "One per line" });
    area.value = Array.isArray(value) ? value.join("\n") : "";
    return area;
  }
  const type = setting.kind === "colour" ? "color" : setting.kind === "number" ? "number" : "text";
  const input = element("input", { ...ids, type, spellcheck: "false", autocomplete: "off" });
  input.value = Array.isArray(value) ? value.join(", ") : `${value}`;
  if (setting.kind === "number") input.placeholder = setting.fallback;
  return input;
}

/** Reads a setting's value from its field; undefined for an empty number. */
function readOf(name: SiteSetting, field: Field): unknown {
  const { kind } = SETTINGS[name];
  if (kind === "switch") return (field as HTMLInputElement).checked;
  const text = field.value.trim();
  if (kind === "list")
    return text
      .split("\n")
      .map((one) => one.trim())
      .filter(Boolean);
  return text === "" && kind === "number" ? undefined : fromAttribute(name, text);
}

/** A choice that may also be an element of the page: a second field takes its selector. */
function selectorControl(name: SiteSetting, own: unknown, id: string): Control {
  const select = fieldOf(name, id, own);
  const about = `${labelOf(name)}: selector`;
  const selector = element("input", { placeholder: "#id or .class", "aria-label": about, spellcheck: "false" });
  select.append(element("option", { value: "" }, "Element of the page"));
  if (/^[#.]/.test(`${own}`)) [select.value, selector.value] = ["", `${own}`];
  return {
    node: element("div", { class: "stack" }, select, selector),
    field: select,
    read() {
      selector.hidden = select.value !== "";
      return select.value || selector.value.trim() || undefined;
    },
  };
}

function fieldControl(name: SiteSetting, own: unknown, id = `set-${name}`): Control {
  const setting = SETTINGS[name];
  if (setting.kind === "choice" && setting.selector) return selectorControl(name, own, id);
  const field = fieldOf(name, id, own);
  return { node: field, read: () => readOf(name, field) };
}

const labelledRow = (name: string, field: HTMLElement): HTMLElement =>
  element("div", { class: "row" }, element("label", { for: field.id }, name), field);

const DAY_NAMES = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/** A time zone, and a line for each day. */
function hoursControl(own: PublicSite["hours"] = {}): Control {
  const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { timeZone = browserZone } = own;
  const zones = [...new Set(["UTC", timeZone, browserZone, ...Intl.supportedValuesOf("timeZone")])].sort();
  const zone = element("select", { id: "set-hours", name: "hours" }, ...zones.map((one) => element("option", {}, one)));
  zone.value = timeZone;
  const days = DAYS.map((day) => {
    const input = element("input", { id: `set-hours-${day}`, spellcheck: "false", autocomplete: "off" });
    input.value = own[day] ?? "";
    return [day, input] as const;
  });
  const rows = days.map(([, input], at) => labelledRow(DAY_NAMES[at] ?? "", input));
  return {
    node: element("div", { class: "stack" }, labelledRow("Time zone", zone), ...rows),
    read() {
      const times = days.map(([day, { value }]) => [day, value.trim()] as const).filter(([, text]) => text !== "");
      for (const [, input] of days) {
        // Once one day has times, all others are closed.
        input.placeholder = times.length === 0 ? "Always open" : "Closed";
        input.ariaInvalid = `${spansOf(input.value) === undefined}`;
      }
      return times.length === 0 ? {} : { timeZone: zone.value, ...Object.fromEntries(times) };
    },
  };
}

/**
 * A list of entries that the owner adds one by one, each with a field.
 * @param what name of an entry, for the button that adds one
 * @param known returns key and label of every entry that is possible now
 * @param make creates the field of a key
 */
function entriesControl(
  name: string,
  what: string,
  known: () => Wording,
  own: Readonly<Record<string, unknown>>,
  make: (key: string, value: unknown) => Control,
): Control & { updateChoices: () => void } {
  const controls = new Map<string, Control>();
  const list = element("div", { class: "stack" });
  const choiceSelect = element("select", { id: `set-${name}`, name });
  const add = element("button", { type: "button", class: "quiet", "aria-label": `Add: ${what}` }, "Add");
  const updateChoices = (): void => {
    const rest = known().filter(([key]) => !controls.has(key));
    choiceSelect.replaceChildren(...rest.map(([key, text]) => element("option", { value: key }, text)));
    add.disabled = rest.length === 0;
  };
  const addEntry = (key: string, value: unknown): HTMLElement => {
    const control = make(key, value);
    const { field = control.node } = control;
    control.read();
    const text = known().find(([one]) => one === key)?.[1] ?? key;
    const removeButton = element("button", { type: "button", class: "quiet", "aria-label": `Remove: ${text}` }, "✕");
    const label = element("label", { for: field.id }, text);
    const entry = element("div", { class: "entry" }, label, control.node, removeButton);
    removeButton.onclick = () => {
      controls.delete(key);
      entry.remove();
      updateChoices();
      choiceSelect.focus();
      choiceSelect.dispatchEvent(new Event("input", { bubbles: true }));
    };
    controls.set(key, control);
    list.append(entry);
    return field;
  };
  for (const [key, value] of Object.entries(own)) addEntry(key, value);
  updateChoices();
  add.onclick = () => {
    addEntry(choiceSelect.value, undefined).focus();
    updateChoices();
    choiceSelect.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const addRow = element(
    "div",
    { class: "entry" },
    element("label", { for: choiceSelect.id }, what),
    choiceSelect,
    add,
  );
  return {
    node: element("div", { class: "stack" }, list, addRow),
    updateChoices,
    read() {
      const read = [...controls].map(([key, control]) => [key, control.read()] as const);
      return Object.fromEntries(read.filter(([, value]) => value !== undefined));
    },
  };
}

/** A text field for one entry. @param kind begins its id */
const textControl =
  (kind: string) =>
  (key: string, value: unknown): Control => {
    const field = element("input", { id: `${kind}-${key}`, autocomplete: "off" });
    field.value = typeof value === "string" ? value : "";
    return { node: field, read: () => field.value.trim() || undefined };
  };

/** The fields that can begin with a value. */
const PREFILLED: Wording = [["message", "Message"], ...DETAILS];

/** The values that the text field and the forms begin with, also those of the owner's own fields. */
function prefillControl(own: PublicSite["prefill"] = {}, offered: OfferedFields): Control {
  const known = (): Wording => [
    ...PREFILLED,
    ...Object.entries(offered.custom).map(([key, { label }]) => [key, label] as const),
  ];
  const { updateChoices, ...control } = entriesControl("prefill", "Another field", known, own, textControl("prefill"));
  offered.listeners.push(updateChoices);
  return control;
}

/**
 * The control of a setting, with the site's own value.
 * @param wording the texts, for the control of `strings`
 * @param offered the custom fields, for the controls of the forms
 */
export function controlOf(
  name: SiteSetting,
  site: PublicSite,
  wording: Wording,
  offered: OfferedFields = { custom: {}, listeners: [] },
): Control {
  if (name === "prechat" || name === "capture") return formControl(name, site[name] ?? [], offered);
  if (name === "customFields") return customFieldsControl(site.customFields ?? {}, offered);
  if (name === "prefill") return prefillControl(site.prefill, offered);
  if (name === "hours") return hoursControl(site.hours);
  if (name === "strings")
    return entriesControl(name, "Another word", () => wording, site.strings ?? {}, textControl("word"));
  if (name !== "phone") return fieldControl(name, siteValueOf(site, name));
  const names = (Object.keys(SETTINGS) as SiteSetting[]).filter((one) => !hasSeveralFields(one));
  const own = Object.entries(site.phone ?? {}).filter(([one]) => names.some((other) => other === one));
  return entriesControl(
    name,
    "Another setting",
    () => names.map((one) => [one, labelOf(one)]),
    Object.fromEntries(own),
    (one, value) => fieldControl(one as SiteSetting, value ?? siteValueOf(site, one as SiteSetting), `phone-${one}`),
  );
}
