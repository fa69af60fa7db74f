/**
 * The end of a conversation, as a row of the thread: a new one begins with the button, or with whatever is written (WIDGET
 * 8.3). Fetched when it has come.
 */

import css from "./ended.css?inline";
import { live } from "./live.ts";
import { adopt } from "./style.ts";

export const Ended = live(({ t, chat, shell, settings, announcer, focusComposer }, mounted) => {
  mounted(() => adopt(shell.root, css));
  mounted(() => announcer.status(t("endedGone")));
  const begin = (): void => {
    // The pressed button goes away.
    focusComposer();
    chat.start();
    announcer.status(settings.peek().greeting || t("greeting"));
  };
  return () => (
    <div class="ended">
      <p>{t("endedGone")}</p>
      <button type="button" class="pill" onClick={begin}>
        {t("startNew")}
      </button>
    </div>
  );
});
