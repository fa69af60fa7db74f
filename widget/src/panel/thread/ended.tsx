/**
 * The end of the conversation as a row of the thread (WIDGET 8.3): why it ended, and what the visitor can do. After a deletion
 * or a logout a new one begins with the button or with the next message. Fetched when it is needed.
 */

import type { Shell } from "../../loader/contract.ts";
import { rare } from "../../locales/en.rare.ts";
import type { Key } from "../../locales/en.types.ts";
import { addEnglish } from "../../text/i18n.ts";
import { component, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { isOver } from "../base/conversation-state.ts";
import { greetingWords } from "../base/greeting-words.ts";
import { adopt } from "../base/style.ts";
import css from "./ended.css?inline";

addEnglish(rare);

const WORDS = {
  badToken: "endedToken",
  notAllowed: "endedNotAllowed",
  gone: "forgotten",
  version: "endedVersion",
  normal: "endedGone",
} as const satisfies Record<string, Key>;

let isOwnerNotified = false;

/** Writes to the console, once, for the site's owner: why the chat is not available here, and where to change it. */
function notifyOwner({ relay, site: { id } }: Shell): void {
  if (isOwnerNotified) return;
  isOwnerNotified = true;
  console.warn(
    `Porchlight: ${relay} does not accept site "${id}" on pages of ${location.origin}. Add this origin to ALLOWED_ORIGINS, or to "origins" of the site in the file that PORCHLIGHT_CONFIG names.`,
  );
}
type EndedNeeds = Needs<"t" | "settings" | "chat" | "consent" | "shell" | "focusComposer" | "announcer">;

/** The row; empty until the connection has ended. Announces why. */
export const Ended = component((ui: EndedNeeds, mounted) => {
  const { t, chat, shell, consent, announcer, focusComposer } = ui;
  const words = (): Key | undefined =>
    chat.link.value === "ended" && consent.value ? WORDS[chat.ending.value ?? "gone"] : undefined;
  mounted(() => adopt(shell.root, css));
  mounted(
    watch(() => {
      const text = words();
      if (text) announcer.status(t(text));
      if (text === "endedNotAllowed") notifyOwner(shell);
    }),
  );
  const begin = (): void => {
    // The pressed button disappears, so move the focus.
    focusComposer();
    chat.start();
    announcer.status(greetingWords(ui));
  };
  return () => {
    const text = words();
    return (
      text && (
        <div class="ended" key={text}>
          {text === "endedNotAllowed" && (
            <span aria-hidden="true">
              <b />
            </span>
          )}
          <p>{t(text)}</p>
          {isOver(ui) && (
            <button type="button" onClick={begin}>
              {t("startNew")}
            </button>
          )}
          {text === "endedVersion" && (
            <button type="button" onClick={() => location.reload()}>
              {t("reload")}
            </button>
          )}
        </div>
      )
    );
  };
});
