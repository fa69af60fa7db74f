/** The question before anything is stored, where the site wants it asked. */

import css from "./consent.css?inline";
import { live } from "./live.ts";
import { adopt } from "./style.ts";

/** Asked where the site wants it asked before anything is stored. */
export const Consent = live(({ t, consent, focusComposer, shell }, mounted) => {
  mounted(() => adopt(shell.root, css));
  const agree = (): void => {
    consent.value = true;
    setTimeout(focusComposer);
  };
  return () => (
    <div class="consent">
      <p>{t("consentAsk")}</p>
      <button type="button" class="primary" onClick={agree}>
        {t("consentYes")}
      </button>
    </div>
  );
});
