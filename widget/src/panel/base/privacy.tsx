/** The link to the site's privacy policy, alone and as a line. */

import { component } from "./component.ts";
import type { Needs } from "./context.ts";

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

/** One sentence about what is stored, with the link. */
export const PrivacyLine = component(({ t }: Needs<"t">) => () => (
  <p class="privacy">
    <span>{t("privacyLine")}</span> <PrivacyLink />
  </p>
));
