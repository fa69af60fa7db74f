/**
 * The panel's entry, fetched when the visitor wants to chat: connects the conversation with the user interface. A page has one
 * panel at a time, so its state is in this module; `start` sets all of it.
 */

import { isBlank } from "@porchlight/shared/text";
import { effect, type Signal, signal, untracked } from "@preact/signals-core";
import { h, render } from "preact";
import { type Attachment, type Chat, createChat } from "../../conversation/chat.ts";
import { UNSENT_MAX } from "../../conversation/outbox.ts";
import { hasConversation, titleOf } from "../../conversation/storage.ts";
import type { Panel as PanelSide, Shell } from "../../loader/contract.ts";
import { element } from "../../loader/dom.ts";
import { checkedSettings, type PanelSettings } from "../../settings/options.ts";
import { chooseLanguage, type Language, loadLanguage } from "../../text/i18n.ts";
import { wantedLanguages } from "../../text/wanted-languages.ts";
import { createAnnouncer } from "../base/announcer.ts";
import { Root } from "../base/component.ts";
import type { PanelContext } from "../base/context.ts";
import type { Files, PickedFile } from "../base/files.ts";
import { createLateParts } from "../base/late-parts.ts";
import { adopt } from "../base/style.ts";
import { controlDialog, type DialogControl } from "./dialog.ts";
import { keepFocus } from "./focus.ts";
import { isolateFromPage } from "./host-page.ts";
import { syncLauncher } from "./launcher.ts";
import css from "./panel.css?inline";
import { Panel } from "./panel.tsx";
import { startReplyAlerts } from "./reply-alerts.ts";
import { followOpen, wasLeftOpen } from "./stay-open.ts";
import { panelTokens } from "./tokens.ts";
import { fitWidth, followKeyboard, followWidth } from "./viewport.ts";

let shell: Shell;
let ui: PanelContext;
let settings: Signal<PanelSettings>;
let language: Signal<Language>;
let isOpen: Signal<boolean>;
let control: DialogControl;
let lateParts: ReturnType<typeof createLateParts>;
let app: HTMLElement;
/** Messages that the page sent before the visitor gave consent. */
let earlyMessages: string[];
/** Files that the tray's code has not taken yet. */
let pickedFiles: PickedFile[];
let fileTray: Signal<Files | undefined>;
/** Number of picks that the tray's code has not taken yet. */
let adding: Signal<number>;
/** The token of the visitor that the page names. */
let identity: string | undefined;
/** Whether the visitor opened the panel, also by a button of the page. */
let openedByVisitor: unknown;

function settingsOf(shell: Shell): PanelSettings {
  const raw = shell.settings();
  // On a developer's machine the console lists wrong settings. `check` compares the host again, exactly.
  if (/^local|^127|:/.test(location.hostname))
    void import("../../settings/check-settings.ts").then(({ check }) => check(raw, shell.site.id));
  return checkedSettings(raw, shell.site);
}
const languageOf = async ({ locale, strings }: PanelSettings): Promise<Language> => {
  const wanted = wantedLanguages(locale);
  // The site's own texts. Empty until the code has made sure that they still say that an AI answers. Until then, and if the code
  // cannot be fetched, the panel uses the language's texts.
  const siteWords = {};
  const language = await loadLanguage(chooseLanguage(wanted), siteWords, [...wanted, ...navigator.languages]);
  if (Object.keys(strings)[0])
    await import("../../text/site-words.ts").then(
      ({ withAiMark }) => Object.assign(siteWords, withAiMark(strings, language.t)),
      console.warn,
    );
  return language;
};

/** Creates the conversation. It connects later. */
function createConversation(): Chat {
  const chat = createChat({
    site: shell.site.id,
    relay: shell.relay,
    context() {
      const { campaign } = settings.peek();
      const { pathname, search } = location;
      return { page: pathname + search, title: titleOf(), locale: language.peek().tag, campaign };
    },
    stays: () => window.Notification?.permission === "granted" && chat.storage.read().kept.includes("notify"),
  });
  return chat;
}

/** Sends a message with its attachments. Returns the number of messages that the outbox took. */
function sendMessage(text: string, [first, ...more]: readonly Attachment[] = []): number {
  const { chat, consent } = ui;
  if (!consent.peek()) return 0;
  chat.start();
  if (!chat.send(text, first)) return 0;
  const full = more.findIndex((one) => !chat.send("", one));
  return 1 + (full < 0 ? more.length : full);
}

/** Passes files to the tray, whose code is fetched on the first use. */
function addFiles(added: Iterable<PickedFile>): void {
  // Copy the files: they may be unavailable after the event, and the tray's code may handle the last pick first.
  pickedFiles.push(...added);
  adding.value++;
  void ui
    .part(
      () => import("../files/file-tray.tsx"),
      ({ createFiles }) => {
        fileTray.value ??= createFiles(ui);
        if (pickedFiles[0]) fileTray.value.add(pickedFiles.splice(0));
      },
    )
    .then(() => {
      adding.value--;
    });
}

const focusComposer = (): void => app.querySelector<HTMLElement>(".app>.form [name],.composer textarea")?.focus();

/** Creates what the components share. */
function createContext(consents: boolean): PanelContext {
  return {
    chat: createConversation(),
    shell,
    settings,
    language,
    t: (key, values) => language.value.t(key, values),
    announcer: createAnnouncer(shell.root),
    sound: signal(settings.peek().sound),
    consent: signal(consents),
    isOpen,
    close: control.close,
    send: sendMessage,
    forms: signal(undefined),
    asking: signal(false),
    files: fileTray,
    adding,
    addFiles,
    rating: signal(undefined),
    ended: signal(undefined),
    missing: lateParts.missing,
    part: lateParts.part,
    focusComposer,
    now: Date.now,
  };
}

/** Adds the panel's styles, colours and accessible name to the loader's dialog. */
function prepareDialog(): void {
  const { root, dialog, launcher } = shell;
  adopt(root, css);
  const loaderTokens = shell.tokens;
  shell.tokens = (accent, dark) => ({
    ...loaderTokens(accent, dark),
    ...panelTokens(dark),
    side: settings.peek().position === "left" ? "left" : "right",
  });
  dialog.id = "panel";
  launcher.setAttribute("aria-controls", "panel");
  dialog.setAttribute("aria-labelledby", "title");
  dialog.setAttribute("aria-describedby", "about");
}

/** Starts everything that runs until the panel is destroyed. @returns the functions that stop it */
function startEffects(hasHistory: boolean): (() => void)[] {
  const { chat, consent, close, announcer } = ui;
  return [
    control.stop,
    syncLauncher(ui),
    startReplyAlerts(ui),
    isolateFromPage(shell, close),
    followKeyboard(shell),
    followWidth(shell),
    effect(() => {
      const starts = isOpen.value || hasHistory;
      if (!consent.value) return;
      untracked(() => {
        if (starts) chat.start();
        for (const text of earlyMessages.splice(0)) sendMessage(text);
      });
    }),
    followOpen(ui, () => openedByVisitor),
    announcer.stop,
    chat.destroy,
  ];
}

/** What the loader calls, also for the page's commands. */
const panel: Omit<PanelSide, "destroy"> = {
  open(byVisitor) {
    const { root, dialog } = shell;
    control.opening();
    if (dialog.firstChild !== app) dialog.replaceChildren(app);
    if (!dialog.open) shell.show();
    fitWidth(shell);
    openedByVisitor = byVisitor || navigator.userActivation?.isActive;
    isOpen.value = true;
    if (!byVisitor) return;
    const isTouch = !matchMedia("(pointer:fine)").matches;
    if (!isTouch) focusComposer();
    // Focus the title on a touch screen, because its keyboard would cover the panel, and where no field is visible. In Firefox, a
    // modal dialog has already focused its first button.
    if (isTouch || !app.contains(root.activeElement)) app.querySelector("h2")?.focus();
  },
  close: () => control.close(),
  async send(text) {
    // Accept only a string: a click handler would pass an event, and each message may cost the owner money.
    if (typeof text !== "string") return console.warn("Porchlight: send takes a text, not", text);
    if (isBlank(text)) return;
    const isTaken = ui.consent.peek()
      ? sendMessage(text)
      : earlyMessages.length < UNSENT_MAX && earlyMessages.push(text);
    if (isTaken) return;
    shell.emit("error", { code: "queue_full" });
    throw new Error(`Porchlight: ${UNSENT_MAX} messages wait already, so this one is not sent`);
  },
  identify(token) {
    fileTray.peek()?.identify(identity, String(token));
    identity = String(token);
    ui.chat.identify(identity);
  },
  logout(_, fetchesPanel) {
    identity = undefined;
    earlyMessages.length = 0;
    ui.chat.logout();
    if (fetchesPanel) shell.emit("logout");
  },
  consent(given) {
    ui.consent.value = given === true;
    if (ui.consent.peek()) return;
    ui.chat.logout();
    // The page still names this visitor: log them in again.
    if (identity) ui.chat.identify(identity);
  },
  update() {
    const was = settings.peek();
    const now = settingsOf(shell);
    settings.value = now;
    // The visitor's choice stays until the setting changes.
    if (now.sound !== was.sound) ui.sound.value = now.sound && !ui.chat.storage.read().kept.includes("mute");
    if (now.requireConsent !== was.requireConsent) ui.consent.value = !now.requireConsent || hasConversation(now.site);
    void languageOf(now).then(async (chosen) => {
      if (lateParts.wasUsed()) await chosen.loadRare();
      // Texts that load late must not replace those of a later update.
      if (settings.peek() === now) language.value = chosen;
    });
  },
  unread: () => ui.chat.unread.peek(),
};

/** Starts the panel in the loader's frame. Connects at once only if the visitor already has a conversation. */
export async function start(loaderShell: Shell): Promise<PanelSide> {
  const first = settingsOf(loaderShell);
  const chosen = await languageOf(first);
  // From here on nothing waits: a page may destroy one widget and start another while both fetch their language.
  shell = loaderShell;
  settings = signal(first);
  language = signal(chosen);
  isOpen = signal(false);
  identity = undefined;
  earlyMessages = [];
  pickedFiles = [];
  fileTray = signal(undefined);
  adding = signal(0);
  control = controlDialog(shell, isOpen, () => settings.peek().mode === "page");
  lateParts = createLateParts(language);
  app = element("div");
  const panelApp = app;
  const hasHistory = hasConversation(first.site);
  ui = createContext(hasHistory || !first.requireConsent);
  prepareDialog();
  const stops = startEffects(hasHistory);
  keepFocus(shell.root);
  render(h(Root, { ui, children: h(Panel, {}) }), app);

  // From here on the loader opens the panel itself, without moving the focus.
  if (wasLeftOpen(ui)) shell.show();

  return {
    ...panel,
    // Stops only what this panel started, because another panel may be running by then.
    destroy() {
      for (const stop of stops) stop();
      render(null, panelApp);
    },
  };
}
