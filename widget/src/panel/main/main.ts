/** The panel's entry, fetched when the visitor wants to chat: connects the conversation with the user interface. */

import { isBlank } from "@porchlight/shared/text";
import { effect, signal, untracked } from "@preact/signals-core";
import { h, render } from "preact";
import { createChat } from "../../conversation/chat.ts";
import { ROOM } from "../../conversation/outbox.ts";
import { hasConversation, titleOf } from "../../conversation/storage.ts";
import type { Panel as PanelSide, Shell } from "../../loader/contract.ts";
import { element } from "../../loader/dom.ts";
import { checkedSettings, type PanelSettings } from "../../settings/options.ts";
import { chooseLanguage, type Language, loadLanguage, type Translate } from "../../text/i18n.ts";
import { wantedLanguages } from "../../text/wanted-languages.ts";
import { createAnnouncer } from "../base/announcer.ts";
import { Root } from "../base/component.ts";
import type { PanelContext } from "../base/context.ts";
import type { Files } from "../base/files.ts";
import { createLateParts } from "../base/late-parts.ts";
import { adopt } from "../base/style.ts";
import { controlDialog } from "./dialog.ts";
import { keepFocus } from "./focus.ts";
import { isolateFromPage } from "./host-page.ts";
import { dressLauncher } from "./launcher.ts";
import css from "./panel.css?inline";
import { Panel } from "./panel.tsx";
import { startReplyAlerts } from "./reply-alerts.ts";
import { followOpen, wasLeftOpen } from "./stay-open.ts";
import { panelTokens } from "./tokens.ts";
import { fitWidth, followKeyboard, followWidth } from "./viewport.ts";

function settingsOf(shell: Shell): PanelSettings {
  const raw = shell.settings();
  // On a developer's machine the console lists wrong settings. `check` compares the host again, exactly.
  if (/^local|^127|:/.test(location.hostname))
    void import("../../settings/check-settings.ts").then(({ check }) => check(raw, shell.site.id));
  return checkedSettings(raw, shell.site);
}
const languageOf = async ({ locale, strings }: PanelSettings): Promise<Language> => {
  const wanted = wantedLanguages(locale);
  // Empty until the code has checked that these texts disclose the machine. Until then, and if the code cannot be fetched, the
  // language's own texts are used.
  const own = {};
  const language = await loadLanguage(chooseLanguage(wanted), own, [...wanted, ...navigator.languages]);
  if (Object.keys(strings)[0])
    await import("../../text/site-words.ts").then(
      ({ named }) => Object.assign(own, named(strings, language.t)),
      console.warn,
    );
  return language;
};

/** Starts the panel in the loader's frame. Connects at once only if the visitor already has a conversation. */
export async function start(shell: Shell): Promise<PanelSide> {
  const { root, dialog } = shell;
  const settings = signal(settingsOf(shell));
  const { site, requireConsent, sound } = settings.peek();
  /** Messages that the page sent before the visitor gave consent. */
  const early: string[] = [];
  const language = signal(await languageOf(settings.peek()));
  const t: Translate = (key, values) => language.value.t(key, values);
  const known = hasConversation(site);
  const isOpen = signal(false);
  const consent = signal(known || !requireConsent);
  const control = controlDialog(shell, isOpen, () => settings.peek().mode === "page");
  const chat = createChat({
    site,
    relay: shell.relay,
    context() {
      const { campaign } = settings.peek();
      const { pathname, search } = location;
      return { page: pathname + search, title: titleOf(), locale: language.peek().tag, ...(campaign && { campaign }) };
    },
    stays: () => window.Notification?.permission === "granted" && chat.storage.read().kept.includes("notify"),
  });
  const app = element("div");
  const announcer = createAnnouncer(root);
  const focusComposer = (): void => app.querySelector<HTMLElement>(".app>.form [name],.composer textarea")?.focus();
  const { close } = control;
  const files = signal<Files | undefined>(undefined);
  const adding = signal(0);
  const picked: File[] = [];
  const lateParts = createLateParts(language);
  let identity: string | undefined;
  /** Whether the visitor opened the panel, also by a button of the page. */
  let byVisitor = false;
  const ui: PanelContext = {
    chat,
    shell,
    settings,
    language,
    t,
    announcer,
    sound: signal(sound),
    consent,
    isOpen,
    close,
    send(text, attachments = []) {
      if (!consent.peek()) return 0;
      chat.start();
      const [first, ...more] = attachments;
      if (!chat.send(text, first)) return 0;
      const full = more.findIndex((one) => !chat.send("", one));
      return 1 + (full < 0 ? more.length : full);
    },
    forms: signal(undefined),
    asking: signal(false),
    files,
    adding,
    addFiles(added) {
      // Copy the files: they may be unavailable after the event, and the tray's code may handle the last pick first.
      picked.push(...added);
      adding.value++;
      void ui
        .part(
          () => import("../files/file-tray.tsx"),
          ({ createFiles }) => {
            files.value ??= createFiles(ui);
            if (picked[0]) files.value.add(picked.splice(0));
          },
        )
        .then(() => {
          adding.value--;
        });
    },
    rating: signal(undefined),
    ended: signal(undefined),
    missing: lateParts.missing,
    part: lateParts.part,
    focusComposer,
    now: Date.now,
  };

  adopt(root, css);
  const fill = shell.tokens;
  shell.tokens = (accent, dark) => ({
    ...fill(accent, dark),
    ...panelTokens(dark),
    side: settings.peek().position === "left" ? "left" : "right",
  });
  dialog.id = "panel";
  shell.launcher.setAttribute("aria-controls", "panel");
  dialog.setAttribute("aria-labelledby", "title");
  dialog.setAttribute("aria-describedby", "about");
  const stops = [
    control.stop,
    dressLauncher(ui),
    startReplyAlerts(ui),
    isolateFromPage(shell, close),
    followKeyboard(shell),
    followWidth(shell),
    effect(() => {
      const starts = isOpen.value || known;
      if (!consent.value) return;
      untracked(() => {
        if (starts) chat.start();
        for (const text of early.splice(0)) ui.send(text);
      });
    }),
    followOpen(ui, () => byVisitor),
    announcer.stop,
    chat.destroy,
  ];
  keepFocus(root);
  render(h(Root, { ui, children: h(Panel, {}) }), app);

  // From here on the loader opens the panel itself, without moving the focus.
  if (wasLeftOpen(ui)) shell.show();

  return {
    open(byHand) {
      control.opening();
      if (dialog.firstChild !== app) dialog.replaceChildren(app);
      if (!dialog.open) shell.show();
      fitWidth(shell);
      byVisitor = byHand || navigator.userActivation?.isActive;
      isOpen.value = true;
      if (!byHand) return;
      if (matchMedia("(pointer:fine)").matches) focusComposer();
      // Not if no field is visible, or on a touch screen, whose keyboard would cover the panel.
      if (!app.contains(root.activeElement)) app.querySelector("h2")?.focus();
    },
    close,
    async send(text) {
      // Accept only a string: a click handler would pass an event, and each message may cost the owner money.
      if (typeof text !== "string") return console.warn("Porchlight: send takes a text, not", text);
      if (isBlank(text)) return;
      const isTaken = consent.peek() ? ui.send(text) : early.length < ROOM && early.push(text);
      if (isTaken) return;
      shell.emit("error", { code: "queue_full" });
      throw new Error(`Porchlight: ${ROOM} messages wait to be sent already, so this one is not`);
    },
    identify(token) {
      files.peek()?.handOver(identity, String(token));
      identity = String(token);
      chat.identify(identity);
    },
    logout(_, worth) {
      identity = undefined;
      early.length = 0;
      chat.logout();
      if (worth) shell.emit("logout");
    },
    consent(given) {
      consent.value = given === true;
      if (consent.peek()) return;
      chat.logout();
      // The page still names this visitor: log them in again.
      if (identity) chat.identify(identity);
    },
    update() {
      const was = settings.peek();
      const now = settingsOf(shell);
      settings.value = now;
      // The visitor's choice stays until the setting changes.
      if (now.sound !== was.sound) ui.sound.value = now.sound && !chat.storage.read().kept.includes("mute");
      if (now.requireConsent !== was.requireConsent) consent.value = !now.requireConsent || hasConversation(site);
      void languageOf(now).then(async (spoken) => {
        if (lateParts.wasUsed()) await spoken.more();
        // Texts that load late must not replace those of a later update.
        if (settings.peek() === now) language.value = spoken;
      });
    },
    unread: () => chat.unread.peek(),
    destroy() {
      for (const stop of stops) stop();
      render(null, app);
    },
  };
}
