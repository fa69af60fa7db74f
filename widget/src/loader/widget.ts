/**
 * The widget on a page: runs commands, emits events, and fetches the panel's code when the visitor wants to chat. The script
 * runs once per page, so its state is in this module.
 */

import { mergeLayers, type Options, type RawSettings } from "../settings/options.ts";
import type { CallExtra, Panel, PanelCommands, PanelModule, Shell } from "./contract.ts";
import { pageDocument } from "./document.ts";
import { element } from "./dom.ts";
import css from "./host.css?inline";
import { createHost, keepInPage } from "./host.ts";
import { type Emit, installApi, pageSettings } from "./page-api.ts";
import { pageLink } from "./page-link.ts";
import { createDialog, createLauncher, isSelector, PHONE_QUERY, placeCss } from "./shell.ts";
import { mayHaveConversation } from "./stored-conversation.ts";
import { fetchFile, panelFile, relay, script, site, siteId, whenIdle, words } from "./tag.ts";
import { accentTokens, declarations } from "./theme.ts";

/** Set by the build: the path of the file of `extras.ts`, which the relay also serves outside `/assets/`. */
declare const EXTRAS: string;

let emit: Emit;
let shell: Shell;
let launcher: HTMLButtonElement;
let dialog: HTMLDialogElement;
let host: HTMLElement;
/** The style rules, including those that depend on settings: colours and positions. */
let sheet: CSSStyleSheet;
const phone = matchMedia(PHONE_QUERY);
/** Settings that the page has passed to `update`. */
const updates: Options = {};
let panel: Panel | undefined;
let resolvePanel: (panel: Panel) => void;
/** Commands that the page calls before the panel is loaded wait for this promise, in order. */
const panelReady = new Promise<Panel>((resolve) => {
  resolvePanel = resolve;
});
/** The current or completed fetch of the panel. */
let starting: Promise<void> | undefined;
/** Whether the visitor, and not the page, opened the panel that is being fetched. */
let openedByVisitor = false;
/** Set once the widget is in the page. */
let removeFromPage: (() => void) | undefined;

const settings = (): RawSettings => mergeLayers(phone.matches, site, script?.dataset, pageSettings(), updates);

const extra: CallExtra = (name, ...more) =>
  fetchFile(EXTRAS).then(
    (code) => (code[name] as (...all: unknown[]) => unknown)(shell, ...more),
    () => {},
  );

/** Applies settings, colours and language. */
function style(): RawSettings {
  const now = settings();
  // The wanted language is the site's, else the page's, else the browser's first. Use the script's words if they are in this
  // language. They may be in another one when a cache returns another browser's script: then use a word that most languages know.
  const wanted = ((now.locale ?? "") + pageDocument.documentElement.lang + navigator.language).replace("auto", "");
  shell.words ??= wanted.startsWith(words.lang) ? words : { word: "Chat" };
  const { dir = "ltr", word } = shell.words;
  const colours = (dark: boolean): string =>
    `:host{${declarations(shell.tokens(now.accent as string, dark))}direction:${dir}!important;color-scheme:${dark ? "dark" : "light"}!important}`;
  sheet.replaceSync(
    css +
      placeCss(now) +
      colours(now.theme === "dark") +
      `@media(prefers-color-scheme:dark){${colours(now.theme !== "light")}}`,
  );
  // The launcher has a visible label or only an accessible name.
  const name = now.label || word;
  launcher.ariaLabel = name + shell.unread;
  launcher.hidden = /^(none|\W)/.test(now.launcher as string) || now.mode === "page";
  // A text, or the element with which a page translation has replaced it.
  (launcher.childNodes[1] as Node).textContent = now.launcher === "text" ? name : "";
  return now;
}

/** Creates the widget's elements. They are not in the page yet. */
function build(): void {
  launcher = createLauncher();
  dialog = createDialog();
  sheet = new CSSStyleSheet();
  host = createHost();
  // The page must not react to events of the widget. The panel stops more events (`panel/main/host-page.ts`).
  host.onpointerdown = (event: Event) => event.stopPropagation();
  host.addEventListener("focusin", host.onpointerdown as never);
  const root = host.attachShadow({ mode: "open" });
  root.append(launcher, dialog);
  root.adoptedStyleSheets = [sheet];
  shell = {
    host,
    root,
    launcher,
    dialog,
    relay,
    site,
    settings,
    style,
    tokens: accentTokens,
    unread: "",
    show: showFrame,
    emit,
    lastArguments: {},
  };
  launcher.ariaExpanded = "false";
  launcher.onclick = () => toggle(true);
  // Pointing at the launcher or focusing it starts the fetch, so the panel is loaded by the click.
  launcher.onpointerenter = launcher.onfocus = fetchPanel;
  dialog.onclose = () => {
    if (dialog.open) return;
    launcher.ariaExpanded = "false";
    emit("close");
  };
}

/** Puts the widget into the page. */
function mount(): void {
  if (removeFromPage) return;
  const { mode, teaser, launcher: opener } = style();
  removeFromPage = keepInPage(host, launcher, extra);
  emit("ready");
  if (mode === "page") return void open(false);
  // Run in a separate task, because reading the storage makes the page wait for another process.
  setTimeout(() => mayHaveConversation() && fetchPanel());
  if (teaser || isSelector(opener)) extra("addTriggers", open);
}

/**
 * Fetches the panel. Resolves when it is loaded or has failed; a failed fetch is repeated when the network returns. A page
 * that has been open for longer than the relay keeps old files gets the newest panel. A browser may cache a failed import by
 * its URL, so each attempt uses another URL.
 */
function fetchPanel(): Promise<void> {
  const file = shell.words?.file;
  // Fetched in parallel with the panel, which also needs it and tries again automatically.
  if (file) fetchFile(file).catch(() => {});
  extra("drawFrame", close);
  // Listen before the request, because the network may return before the request has failed. A second call adds nothing.
  addEventListener("online", fetchAgain);
  starting ??= fetchFile(panelFile)
    .catch(() => fetchFile(`/assets/panel.js?${Math.random()}`))
    .then(async (code: PanelModule) => {
      panel = await code.start(shell);
      resolvePanel(panel);
      if (dialog.open) panel.open(openedByVisitor);
    })
    .catch(() => {
      starting = undefined;
      emit("error", { code: "load_failed" });
      showFailure();
    });
  return starting;
}

/**
 * Fetches the panel when the network returns: at once, or after the current fetch has failed. Tries again after each of these
 * pauses (milliseconds), because a network that has just returned may need some seconds until it works. The page may remove the
 * widget meanwhile.
 */
const fetchAgain = (): unknown =>
  fetchPanel().then(() => [300, 1_000, 3_000].map((ms) => setTimeout(() => host.isConnected && fetchPanel(), ms)));

/**
 * Shows that the chat could not be loaded, with Retry and a link to its own page, in the script's language. The frame's code adds
 * the header and uses the visitor's language, if it loads.
 */
function showFailure(): void {
  const again = element("button", { class: "at launcher" }, words.retry);
  again.onclick = fetchPanel;
  // If the dialog ends with a link, it shows a failure already. Keep it, because its button may have the focus.
  if (!(dialog.lastChild as HTMLAnchorElement | null)?.href)
    dialog.replaceChildren(words.failed, again, pageLink(launcher.ariaLabel as string));
  extra("drawFrame", close);
}

/** Shows the panel's frame. Does not move the focus. */
function showFrame(): void {
  dialog.classList.toggle("full", phone.matches || settings().mode === "page");
  // Unlike `show()`, the attribute does not move the visitor's focus. On phones the panel's code makes the dialog modal.
  dialog.open = true;
  // If it was closed and opened again before the `close` event, treat it as never closed.
  if (launcher.ariaExpanded === "false") emit("open");
  launcher.ariaExpanded = "true";
}

function show(): void {
  mount();
  host.hidden = false;
}

function open(byVisitor: boolean): unknown {
  show();
  if (panel) return panel.open(byVisitor);
  openedByVisitor = byVisitor;
  if (!dialog.open) {
    dialog.ariaLabel = dialog.textContent = (settings().title || launcher.ariaLabel) as string;
    showFrame();
  }
  return fetchPanel();
}

const close = (): unknown => (panel ?? dialog).close();
const toggle = (byVisitor: boolean): unknown => (dialog.open ? close() : open(byVisitor));

/** Makes a command that the panel runs. Only a message or an existing conversation is a reason to fetch the panel. */
const panelCommand = (name: keyof PanelCommands) => (argument?: unknown) => {
  const fetchesPanel = name === "send" || mayHaveConversation();
  shell.lastArguments[name] = argument;
  const done = panelReady.then((loaded) => loaded[name](argument, fetchesPanel));
  if (name === "send") mount();
  // A logout fetches the panel too: otherwise a panel that loads later would find the former visitor.
  if (fetchesPanel) fetchPanel();
  else if (name === "logout") emit(name);
  return fetchesPanel && done;
};

function destroy(): void {
  panelReady.then((loaded) => loaded.destroy());
  removeFromPage?.();
  phone.onchange = null;
  removeEventListener("online", fetchAgain);
  // Any function makes the widget count as being in the page, so later commands add no elements.
  removeFromPage = close;
  delete window.Porchlight;
}

/**
 * Installs the page's function immediately, and adds the launcher when the page is idle or, with `manual`, at the first
 * command.
 */
export function startWidget(): void {
  emit = installApi(
    siteId,
    {
      open: () => open(false),
      close,
      toggle: () => toggle(false),
      show,
      hide() {
        close();
        host.hidden = true;
      },
      send: panelCommand("send"),
      identify: panelCommand("identify"),
      logout: panelCommand("logout"),
      consent: panelCommand("consent"),
      update(options) {
        Object.assign(updates, options);
        style();
        panel?.update();
      },
      destroy,
    },
    { isOpen: () => dialog.open, unread: () => panel?.unread() ?? 0 },
  );
  build();
  phone.onchange = style;
  // `manual` is absent or false. An empty attribute means on.
  if (/^[fnu0]/.test(settings().manual as never)) whenIdle(mount);
}
