/**
 * The page that makes the tag: every setting with its control, the real chat in the corner, and the tag to paste. The page
 * contains the site's public settings; it asks the relay only for the address of the script that never changes.
 */

import { SETTINGS, type SiteSetting, settingProblemOf } from "@porchlight/shared/settings";
import type { PublicSite } from "@porchlight/shared/site";
import { element } from "../loader/dom.ts";
import css from "./snippet.css?inline";
import { type ChosenSettings, type FixedScript, fileOf, moduleOf, tagOf } from "./tag.ts";

/** All settings, grouped for the owner. */
const GROUPS: readonly [title: string, names: readonly SiteSetting[]][] = [
  ["Words", ["title", "greeting", "suggestions", "label", "locale", "privacyUrl"]],
  ["Teaser", ["teaser", "teaserAfter", "teaserScroll", "teaserExit", "teaserPages", "teaserWhen"]],
  ["Look", ["accent", "theme", "header", "avatar", "team", "radius", "launcher", "icon"]],
  ["Replies", ["markdown", "replyConventions", "mediaViewer", "replyPreview"]],
  ["Files, emoji and sound", ["attachments", "shrinkPictures", "camera", "voice", "emojiPicker", "sound"]],
  ["Behaviour", ["responder", "replyMinutes", "rating", "topics", "askPerson", "emailOffer", "requireConsent"]],
  ["Forms", ["prechat", "capture", "customFields", "prefill"]],
  ["Start screen", ["startScreen", "articles"]],
  ["Opening hours", ["hours"]],
  ["Position", ["position", "offsetX", "offsetY", "zIndex"]],
  ["On phones", ["phone"]],
  ["Your own words", ["strings"]],
];
/** Milliseconds for which the copy button says "Copied". */
const COPIED_MS = 2_000;

/** A section with a text to paste and its copy button. `set` changes the text. */
function block(title: string, help: string): { node: HTMLElement; set(text: string): void } {
  const code = element("code");
  const button = element("button", { type: "button" }, "Copy");
  const label = button.firstChild as Text;
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(code.textContent ?? "");
      label.data = "Copied";
    } catch {
      // Pages without https may not write to the clipboard. Then select the text, so that the owner can copy it by keyboard.
      getSelection()?.selectAllChildren(code);
      label.data = "Press Ctrl C";
    }
    setTimeout(() => {
      label.data = "Copy";
    }, COPIED_MS);
  };
  button.ariaLabel = `Copy: ${title}`;
  button.ariaLive = "polite";
  const pre = element("pre", { tabindex: "0", role: "region", "aria-label": title }, code);
  const node = element("section", { class: "block" }, element("h2", {}, title), element("p", {}, help), pre, button);
  return {
    node,
    set(text) {
      code.textContent = text;
    },
  };
}

/** The script's address with its hash; undefined if it cannot be fetched. Then the page offers only the usual tag. */
const fixedOf = (site: string): Promise<FixedScript | undefined> =>
  fetch(`/v/${site}.json`)
    .then((answer) => (answer.ok ? answer.json() : undefined))
    .catch(() => undefined);

/** Fetches the code and the data of the page in parallel. */
const fetchAll = (site: string) =>
  Promise.all([
    import("./controls.ts"),
    import("./names.ts"),
    import("./word-list.ts"),
    import("./preview.ts"),
    fixedOf(site),
  ]);

function adoptStyle(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [sheet];
}

async function start(site: PublicSite, relay: string): Promise<void> {
  const [controls, names, { WORDING: wording }, { preview }, fixed] = await fetchAll(site.id);
  const { controlOf, siteValueOf, hasSeveralFields } = controls;
  const { labelOf, helpOf } = names;
  const show = preview(site.id);
  adoptStyle();
  const tag = block("The tag", "On every page, anywhere in the HTML.");
  const file = block("Or in the relay's file", "For all pages of the site, in the file that PORCHLIGHT_CONFIG names.");
  const module = block("Or in a built page", "With types; React and others need a few lines more.");
  const strict = block(
    "With integrity (fixed bytes)",
    "The browser runs the script only if its bytes are unchanged. Paste the tag again after each upgrade.",
  );
  const chosen: Record<string, unknown> = {};
  const offered = { custom: site.customFields ?? {}, listeners: [] };
  const write = (settings: ChosenSettings): void => {
    tag.set(tagOf(relay, site.id, settings));
    file.set(fileOf(site.id, settings));
    module.set(moduleOf(relay, site.id, settings));
    if (fixed) strict.set(tagOf(relay, site.id, settings, fixed));
  };

  const row = (name: SiteSetting): HTMLElement => {
    const own = siteValueOf(site, name);
    const { node, read, field = node } = controlOf(name, site, wording, offered);
    const initial = JSON.stringify(read());
    const isGroup = hasSeveralFields(name);
    const help = element("small", { id: `help-${name}` }, helpOf(name));
    const wrong = element("small", { class: "wrong", role: "alert" });
    if (helpOf(name)) field.setAttribute("aria-describedby", help.id);
    node.oninput = () => {
      const value = read();
      // An empty control leaves the site's own value.
      const same = value === undefined || JSON.stringify(value) === initial;
      const problem = same ? undefined : settingProblemOf(name, value);
      wrong.textContent = problem === undefined ? "" : `${labelOf(name)} ${problem}.`;
      if (!isGroup) field.ariaInvalid = `${problem !== undefined}`;
      if (problem !== undefined) return;
      if (same) delete chosen[name];
      else chosen[name] = value;
      show(name, same ? own : value, chosen);
      write(chosen);
    };
    if (isGroup) {
      node.role = "group";
      node.ariaLabel = labelOf(name);
      return element("div", { class: "stack" }, element("h3", {}, labelOf(name)), help, node, wrong);
    }
    const label = element("label", { for: field.id }, labelOf(name));
    return element("div", { class: `row ${SETTINGS[name].kind}` }, label, node, help, wrong);
  };

  const groups = GROUPS.map(([title, names]) =>
    element("fieldset", {}, element("legend", {}, title), ...names.map(row)),
  );
  document.querySelector("#tag")?.replaceChildren(tag.node);
  document.querySelector("#settings")?.replaceChildren(...groups);
  document.querySelector("#others")?.replaceChildren(file.node, module.node, ...(fixed ? [strict.node] : []));
  write(chosen);
}

const data = document.querySelector("#site");
if (data) {
  const { site, relay } = JSON.parse(data.textContent ?? "") as { site: PublicSite; relay: string };
  void start(site, relay || location.origin);
}
