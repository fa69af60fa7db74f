/** The form that asks for consent. On sites that require consent it shows before the browser stores anything. */

import { component } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { PrivacyLink } from "../base/privacy.tsx";
import { adopt } from "../base/style.ts";
import css from "./consent.css?inline";

type ConsentNeeds = Needs<"t" | "consent" | "shell" | "focusComposer">;

/** The question and its button. There is no button to decline: without consent, the chat stays as it is. */
export const Consent = component(({ t, consent, focusComposer, shell }: ConsentNeeds, mounted) => {
  mounted(() => adopt(shell.root, css));
  const agree = (): void => {
    consent.value = true;
    setTimeout(focusComposer);
  };
  return () => (
    <div class="consent">
      <p>
        {t("consentAsk")} <PrivacyLink />
      </p>
      <button type="button" class="primary" onClick={agree}>
        {t("consentYes")}
      </button>
    </div>
  );
});
