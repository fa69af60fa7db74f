/** Shown below a failed message: why it failed, and what the visitor can do. Fetched when a message has failed. */

import type { Item } from "../../conversation/chat.ts";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { component } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { whyFailed } from "../base/failure-words.ts";
import { draw } from "../base/icons.tsx";
import { adopt } from "../base/style.ts";
import css from "./failure.css?inline";

addEnglish(rare);

const ALERT = "M12 8v4.5M12 16v.01M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z";

export type FailureProps = { item: Item };
type FailureNeeds = Needs<"t" | "chat" | "shell" | "focusComposer">;

/** The reason, with Retry and Delete. Both move the focus to the text field. */
export const Failure = component<FailureProps>(({ t, chat, focusComposer, shell }: FailureNeeds, mounted) => {
  mounted(() => adopt(shell.root, css));
  // The pressed button disappears, so the focus moves to the place of the next action.
  const act = (id: string, run: (id: string) => void) => () => {
    run(id);
    focusComposer();
  };
  return ({ item: { id, reason } }) => (
    <div class="failed">
      <p>
        {draw(ALERT)}
        <span>{whyFailed(t, reason)}</span>
      </p>
      <div>
        <button type="button" onClick={act(id, chat.retry)}>
          {t("retry")}
        </button>
        <button type="button" onClick={act(id, chat.remove)}>
          {t("delete")}
        </button>
      </div>
    </div>
  );
});
