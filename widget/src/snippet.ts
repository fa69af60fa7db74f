/**
 * The page that makes the tag: every setting with its control, the real chat in the corner, and what to paste. It asks the
 * relay for nothing: the site's public settings stand in the page.
 */

import { complaintOf, fromAttribute, SETTINGS, type SiteSetting } from "@porchlight/shared/settings";
import type { PublicSite } from "@porchlight/shared/site";
import css from "./snippet.css?inline";
import { type Chosen, fileOf, moduleOf, tagOf } from "./tag.ts";
import { bubble } from "./teaser.ts";
import type { Parts } from "./ui/contract.ts";
import { element } from "./ui/dom.ts";
import { PHONE } from "./ui/shell.ts";

/** Settings in the order in which an owner thinks of them. Those that are not here are made in the file: hours, words, phones. */
const GROUPS: readonly [title: string, names: readonly SiteSetting[]][] = [
  ["Words", ["title", "greeting", "suggestions", "teaser", "label", "locale", "privacyUrl"]],
  ["Look", ["accent", "theme", "header", "avatar", "radius", "launcher", "icon"]],
  ["Place", ["position", "offsetX", "offsetY", "zIndex"]],
  [
    "Manners",
    [
      "responder",
      "replyMinutes",
      "prechat",
      "capture",
      "emailOffer",
      "rating",
      "attachments",
      "sound",
      "requireConsent",
    ],
  ],
];
const COPIED_MS = 2_000;

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Names that read badly as they are. */
const NAMES: Readonly<Record<string, string>> = {
  privacyUrl: "Privacy policy",
  zIndex: "Z-index",
  prechat: "Form before",
  capture: "Card after",
  emailOffer: "E-mail offer",
  replyMinutes: "Minutes to a reply",
};
const words = (name: string): string =>
  NAMES[name] ??
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^./, (letter) => letter.toUpperCase());

function controlOf(name: SiteSetting, value: unknown): Field {
  const setting = SETTINGS[name];
  const id = { id: `set-${name}`, name };
  if (setting.kind === "choice") {
    const select = element("select", id, ...setting.of.map((one) => element("option", { value: one }, one)));
    select.value = `${value}`;
    return select;
  }
  if (setting.kind === "switch") {
    const box = element("input", { ...id, type: "checkbox" });
    box.checked = value === true;
    return box;
  }
  if (setting.kind === "list") {
    const area = element("textarea", { ...id, rows: "3", placeholder: "One a line" });
    area.value = Array.isArray(value) ? value.join("\n") : "";
    return area;
  }
  const type = setting.kind === "colour" ? "color" : setting.kind === "number" ? "number" : "text";
  const input = element("input", { ...id, type, spellcheck: "false", autocomplete: "off" });
  input.value = Array.isArray(value) ? value.join(", ") : `${value ?? ""}`;
  if (setting.kind === "number") input.placeholder = setting.fallback;
  return input;
}

/** What stands in a control, as JSON has it; nothing where it is empty. */
function readOf(name: SiteSetting, field: Field): unknown {
  const { kind } = SETTINGS[name];
  if (kind === "switch") return (field as HTMLInputElement).checked;
  const text = field.value.trim();
  if (kind === "list" || kind === "fields")
    return text
      .split(kind === "list" ? "\n" : ",")
      .map((one) => one.trim())
      .filter(Boolean);
  return text === "" && kind === "number" ? undefined : fromAttribute(name, text);
}

/** A text to paste and its button. Answers what changes it. */
function block(title: string, help: string): { node: HTMLElement; set(text: string): void } {
  const code = element("code");
  const button = element("button", { type: "button" }, "Copy");
  const label = button.firstChild as Text;
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(code.textContent ?? "");
      label.data = "Copied";
    } catch {
      // Pages without https may not write to the clipboard: then it is marked, for the keyboard.
      getSelection()?.selectAllChildren(code);
      label.data = "Press Ctrl C";
    }
    setTimeout(() => {
      label.data = "Copy";
    }, COPIED_MS);
  };
  button.ariaLabel = `Copy: ${title}`;
  button.ariaLive = "polite";
  const pre = element("pre", { tabindex: "0", "aria-label": title }, code);
  const node = element("section", { class: "block" }, element("h2", {}, title), element("p", {}, help), pre, button);
  return {
    node,
    set(text) {
      code.textContent = text;
    },
  };
}

/** The parts of the chat on this page. */
function partsHere(): Parts | undefined {
  const host = document.querySelector<HTMLElement>("porch-light");
  const root = host?.shadowRoot;
  const launcher = root?.querySelector<HTMLButtonElement>(".launcher");
  const dialog = root?.querySelector("dialog");
  return host && root && launcher && dialog ? { host, root, launcher, dialog } : undefined;
}

/** The chat in the corner. Answers what shows a change on it; `chosen` is all that differs from the site's own. */
function preview(site: string): (name: SiteSetting, value: unknown, chosen: Chosen) => void {
  let previews = 0;
  let untease = (): void => {};
  /** With a chat that starts anew: what counts at its start only. */
  const restart = async (chosen: Chosen): Promise<void> => {
    const open = partsHere()?.dialog.open;
    // Who has a conversation has agreed: this owner becomes a new visitor, to see what those see.
    if (chosen.requireConsent) await window.Porchlight?.consent?.(false);
    await window.Porchlight?.destroy?.();
    // The line beside the launcher is shown by hand.
    window.PorchlightSettings = { ...chosen, teaser: "" };
    previews++;
    await import(/* @vite-ignore */ `/w/${encodeURIComponent(site)}.js?preview=${previews}`);
    if (open) await window.Porchlight?.open?.();
  };
  return (name, value, chosen) => {
    if (name === "requireConsent") return void restart(chosen);
    window.Porchlight?.("update", { [name]: value });
    if (name !== "teaser") return;
    untease();
    const parts = partsHere();
    parts?.root.querySelector(".teaser")?.remove();
    // At once, and again although the chat was opened: this visitor is its owner. Phones have none.
    untease = parts && value && !matchMedia(PHONE).matches ? bubble(element, parts, `${value}`) : () => {};
  };
}

/** @param show shows a change on the chat on this page */
function start(site: PublicSite, relay: string, show: ReturnType<typeof preview>): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [sheet];
  const tag = block("The tag", "On every page, anywhere in the HTML.");
  const file = block(
    "Or in the relay's file",
    "For all pages of the site at once, in the file that PORCHLIGHT_CONFIG names.",
  );
  const module = block("Or in a built page", "With types; React and others need a few lines more.");
  const chosen: Record<string, unknown> = {};
  const write = (settings: Chosen): void => {
    tag.set(tagOf(relay, site.id, settings));
    file.set(fileOf(site.id, settings));
    module.set(moduleOf(relay, site.id, settings));
  };

  const row = (name: SiteSetting): HTMLElement => {
    const own = site[name] ?? (SETTINGS[name].kind === "switch" ? SETTINGS[name].fallback === "on" : undefined);
    const field = controlOf(name, own ?? SETTINGS[name].fallback.replace(/^(none|the |a |first ).*/, ""));
    if (SETTINGS[name].kind === "number" && own === undefined) field.value = "";
    const first = JSON.stringify(readOf(name, field));
    const help = element("small", { id: `help-${name}` }, SETTINGS[name].help.replaceAll("`", ""));
    const wrong = element("small", { class: "wrong", role: "alert" });
    field.setAttribute("aria-describedby", `help-${name}`);
    field.oninput = () => {
      const value = readOf(name, field);
      const same = JSON.stringify(value) === first;
      const complaint = same || value === undefined ? undefined : complaintOf(name, value);
      wrong.textContent = complaint === undefined ? "" : `${words(name)} ${complaint}.`;
      field.ariaInvalid = `${complaint !== undefined}`;
      if (complaint !== undefined) return;
      if (same) delete chosen[name];
      else chosen[name] = value;
      show(name, same ? own : value, chosen);
      write(chosen);
    };
    return element(
      "div",
      { class: `row ${SETTINGS[name].kind}` },
      element("label", { for: `set-${name}` }, words(name)),
      field,
      help,
      wrong,
    );
  };

  const groups = GROUPS.map(([title, names]) =>
    element("fieldset", {}, element("legend", {}, title), ...names.map(row)),
  );
  document.querySelector("#tag")?.replaceChildren(tag.node);
  document.querySelector("#settings")?.replaceChildren(...groups);
  document.querySelector("#others")?.replaceChildren(file.node, module.node);
  write(chosen);
}

const data = document.querySelector("#site");
if (data) {
  const { site, relay } = JSON.parse(data.textContent ?? "") as { site: PublicSite; relay: string };
  start(site, relay || location.origin, preview(site.id));
}
