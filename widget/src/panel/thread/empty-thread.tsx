/** The empty thread: a greeting, who answers, and the privacy policy. */

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

/** The link to the site's privacy policy, where the site has one. */
export const PrivacyLink = component(({ t, settings }: Needs<"t" | "settings">) => () => {
  const { privacyUrl } = settings.value;
  return (
    /^https?:/.test(privacyUrl) && (
      <a href={privacyUrl} target="_blank" rel="noopener noreferrer" aria-describedby="tab">
        {t("privacy")}
      </a>
    )
  );
});

export const PrivacyLine = component(({ t }: Needs<"t">) => () => (
  <p class="privacy">
    <span>{t("privacyLine")}</span> <PrivacyLink />
  </p>
));
