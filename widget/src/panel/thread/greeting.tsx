/** The greeting of the empty thread, and who answers. */

import { replyAuthorKind } from "../base/author.ts";
import { component } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { greetingWords } from "../base/greeting-words.ts";

/** The greeting; below it, unless a form needs the room, the sentence about who answers. */
export const Greeting = component((ui: Needs<"t" | "settings" | "chat" | "asking">) => () => (
  <div class="greeting">
    <p class="hello">
      {/* A greeting in the other text direction stays aligned with the panel. */}
      <bdi>{greetingWords(ui)}</bdi>
    </p>
    {/* With a form, only the header says who answers: there is no room for both. */}
    {!ui.asking.value && <p>{ui.t(`notice${replyAuthorKind(ui)}`)}</p>}
  </div>
));
