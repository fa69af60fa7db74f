/** The greeting of the empty thread, and who answers. */

import { replyAuthorKind } from "../base/author.ts";
import { component } from "../base/component.ts";
import type { Needs } from "../base/context.ts";

export const Greeting = component((ui: Needs<"t" | "settings" | "chat" | "asking">) => () => (
  <div class="greeting">
    <p class="hello">
      {/* A greeting in the other text direction stays aligned with the panel. */}
      <bdi>
        {/* In a site's greeting `{name}` is replaced by the verified name: "Hello {name}!" */}
        {(ui.settings.value.greeting || ui.t("greeting")).replace(
          / *\{name\}/,
          ui.chat.name.value ? ` ${ui.chat.name.value}` : "",
        )}
      </bdi>
    </p>
    {/* With a form, only the header says who answers: there is no room for both. */}
    {!ui.asking.value && <p>{ui.t(`notice${replyAuthorKind(ui)}`)}</p>}
  </div>
));
