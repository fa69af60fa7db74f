/** The menu of rare actions: save, delete or mute the conversation, read the privacy notice. Fetched when first opened. */

import { PAGE_ADDRESS_MAX } from "@porchlight/shared/limits";
import { signal } from "@preact/signals-core";
import type { ComponentChildren, VNode } from "preact";
import { rare } from "../../locales/en.rare.ts";
import type { Key } from "../../locales/en.types.ts";
import { addEnglish } from "../../text/i18n.ts";
import { component, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { isOver } from "../base/conversation-state.ts";
import { draw, Icon } from "../base/icons.tsx";
import { isRemembered, remember } from "../base/remembered.ts";
import { adopt } from "../base/style.ts";
import css from "./menu.css?inline";
import { downloadTranscript } from "./transcript.ts";

addEnglish(rare);

/** Icons that only the menu uses, so they are not part of the panel's file. */
const PATHS = {
  bell: "M6.5 16v-4.5a5.5 5.5 0 0 1 11 0V16l1.5 2H5l1.5-2Zm4 4.5h3",
  download: "M12 4.5v10.5m-4.5-4.3L12 15l4.5-4.3M5 19.5h14",
  sound: "M4.5 9.5v5h3.5l4.5 4v-13L8 9.5H4.5ZM16 9a4.2 4.2 0 0 1 0 6M18.5 6.5a7.8 7.8 0 0 1 0 11",
  muted: "M4.5 9.5v5h3.5l4.5 4v-13L8 9.5H4.5ZM16 10l4 4m0-4-4 4",
  trash: "M5 7h14M10 7V4.5h4V7m3.5 0-.8 12.5H7.3L6.5 7",
  shield: "M12 3.5 5 6v5.5c0 4.3 2.9 7.3 7 9 4.1-1.7 7-4.7 7-9V6l-7-2.5Z",
};

/** `back`: the focus returns to the button. */
export type MenuProps = { close: (back: boolean) => void };
type MenuNeeds = Needs<
  | "t"
  | "language"
  | "settings"
  | "chat"
  | "consent"
  | "shell"
  | "focusComposer"
  | "announcer"
  | "sound"
  | "files"
  | "now"
>;

type Entry = { icon: VNode; words: string; run?: () => void; kind?: string };

/** One entry of the menu. Without `run` it does nothing, but can still be reached and read. */
const entry = ({ icon, words, run, kind = "" }: Entry): VNode => (
  <button type="button" role="menuitem" tabIndex={-1} class={kind} aria-disabled={!run} onClick={run}>
    {icon}
    <span key={words}>{words}</span>
  </button>
);

/** A copy of the conversation by mail, where the visitor's address is known. */
function createMailCopy({ t, chat, settings, language, announcer }: MenuNeeds): () => VNode | false {
  /** The text of the entry; undefined before the copy was requested. */
  const mailed = signal<Key | undefined>(undefined);
  const request = async (): Promise<void> => {
    if (mailed.peek()) return;
    const page = location.pathname.slice(0, PAGE_ADDRESS_MAX);
    const wrong = await chat.submit({ t: "transcript", page, locale: language.peek().tag });
    mailed.value = wrong ? "tryLater" : "mailGone";
    announcer.status(t(mailed.value));
  };
  return () =>
    Boolean(settings.value.mail && chat.email.value) &&
    entry({ icon: <Icon name="send" />, words: t(mailed.value ?? "mailCopy"), run: request });
}

/** Browser notifications. No entry where the browser has none, or requires a service worker of the page (phones). */
function createNotifyEntry(ui: MenuNeeds, done: () => void): () => VNode | false {
  const { t, announcer } = ui;
  const canNotify = "Notification" in window && isSecureContext && matchMedia("(pointer:fine)").matches;
  const notified = signal(canNotify && Notification.permission === "granted" && isRemembered(ui, "notify"));
  const blocked = signal(canNotify && Notification.permission === "denied");
  const toggle = async (): Promise<void> => {
    if (!notified.peek() && Notification.permission !== "granted") {
      // Call it within the click: browsers ask for the permission only then.
      const answer = await Notification.requestPermission();
      blocked.value = answer === "denied";
      if (blocked.peek()) announcer.status(t("notifyBlocked"));
      if (answer !== "granted") return;
    }
    notified.value = !notified.peek();
    remember(ui, "notify", notified.peek());
    done();
  };
  const icon = draw(PATHS.bell);
  return () =>
    canNotify &&
    // A menu may contain only entries (ARIA 1.2, menu).
    (blocked.value
      ? entry({ icon, words: t("notifyBlocked"), kind: "said" })
      : entry({ icon, words: t(notified.value ? "notifyStop" : "notifyMe"), run: toggle }));
}

function createSoundEntry(ui: MenuNeeds, done: () => void): () => VNode {
  const { t, sound } = ui;
  if (isRemembered(ui, "mute")) sound.value = false;
  const toggle = (): void => {
    sound.value = !sound.value;
    remember(ui, "mute", !sound.value);
    done();
  };
  return () => {
    const icon = draw(sound.value ? PATHS.sound : PATHS.muted);
    return entry({ icon, words: t(sound.value ? "soundOff" : "soundOn"), run: toggle });
  };
}

/** The entries that apply to this conversation and site. */
function createEntries(ui: MenuNeeds, close: MenuProps["close"], ask: () => void): () => ComponentChildren {
  const { t, chat, settings } = ui;
  const done = (): void => close(true);
  const mailCopy = createMailCopy(ui);
  const soundEntry = createSoundEntry(ui, done);
  const notifyEntry = createNotifyEntry(ui, done);
  const download = (): void => {
    void downloadTranscript(ui);
    done();
  };
  return () => {
    const { privacyUrl } = settings.value;
    const hasMessages = chat.items.value.length > 0;
    return (
      <>
        {hasMessages && entry({ icon: draw(PATHS.download), words: t("transcript"), run: download })}
        {hasMessages && mailCopy()}
        {soundEntry()}
        {notifyEntry()}
        {/^https?:/.test(privacyUrl) && (
          <a role="menuitem" tabIndex={-1} href={privacyUrl} target="_blank" rel="noopener noreferrer">
            {draw(PATHS.shield)}
            <span>{t("privacy")}</span>
          </a>
        )}
        {hasMessages && entry({ icon: draw(PATHS.trash), words: t("forget"), run: ask, kind: "danger" })}
      </>
    );
  };
}

/** Deletes the conversation, and announces it. */
async function forget(ui: MenuNeeds): Promise<void> {
  ui.focusComposer();
  ui.files.peek()?.forget();
  await ui.chat.forget();
  // If the row at the end of the thread says it, that row announces it.
  if (!isOver(ui)) ui.announcer.status(ui.t("forgotten"));
}

/** Moves the focus among the entries, and closes the menu. @param tabs whether Tab moves the focus too, instead of closing */
function onKeys(event: KeyboardEvent, all: HTMLElement[], active: Element | null, close: () => void, tabs: boolean) {
  const at = all.indexOf(active as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (to !== undefined) all.at(to % all.length)?.focus();
  else if (event.key === "Escape" || (event.key === "Tab" && !tabs)) close();
  else return;
  event.preventDefault();
}

/** The question before a deletion, and what it would remove. */
const deletionQuestion = ({ t }: Needs<"t">, cancel: () => void, confirm: () => void): VNode => (
  <>
    <h3 id="ask">{t("forgetAsk")}</h3>
    <p id="ask-more">
      {t("forgetBody")} {t("forgetRest")}
    </p>
    <button type="button" onClick={cancel}>
      {t("cancel")}
    </button>
    <button type="button" class="danger" onClick={confirm}>
      {t("delete")}
    </button>
  </>
);

/** The menu, or in its place the question before a deletion. The first entry has the focus. */
export const Menu = component<MenuProps>((ui: MenuNeeds, mounted, { close }) => {
  const { t, shell } = ui;
  /** Whether the question before the deletion is shown. */
  const asking = signal(false);
  let box: HTMLElement | null = null;
  const setBox = (node: HTMLElement | null): void => {
    box = node;
  };
  const all = (): HTMLElement[] => [...(box?.querySelectorAll<HTMLElement>("[role=menuitem],button") ?? [])];
  const onKeyDown = (event: KeyboardEvent): void =>
    onKeys(event, all(), shell.root.activeElement, () => close(true), asking.peek());
  const entries = createEntries(ui, close, () => {
    asking.value = true;
  });
  const confirm = (): void => {
    close(false);
    void forget(ui);
  };
  mounted(() => adopt(shell.root, css));
  mounted(
    watch(() => {
      asking.value;
      setTimeout(() => all()[0]?.focus());
    }),
  );
  const question = () => (
    <div
      ref={setBox}
      class="menu ask"
      role="alertdialog"
      aria-labelledby="ask"
      aria-describedby="ask-more"
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      {deletionQuestion(ui, () => close(true), confirm)}
    </div>
  );
  const menu = () => (
    <div ref={setBox} class="menu" role="menu" tabIndex={-1} aria-label={t("options")} onKeyDown={onKeyDown}>
      {entries()}
    </div>
  );
  return () => (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a press anywhere else closes the menu; Escape does so too */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: for the keyboard there is Escape, and nothing here to reach */}
      <div class="veil" onClick={() => close(false)} />
      {asking.value ? question() : menu()}
    </>
  );
});
