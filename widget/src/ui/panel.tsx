/** The panel: header, connection, thread, composer. */

import { signal } from "@preact/signals-core";
import { Bar } from "./bar.tsx";
import { Composer } from "./composer.tsx";
import { Header } from "./header.tsx";
import { live, watch } from "./live.ts";
import { Thread } from "./thread.tsx";

export const Panel = live(({ t, consent, settings, addFiles, forms, asking }, mounted) => {
  const dropping = signal(false);
  mounted(
    watch(async () => {
      const { prechat, capture, hours } = settings.value;
      if (prechat[0] || capture[0] || hours.timeZone) forms.value = await import("./forms.tsx");
    }),
  );
  const over = (event: DragEvent): void => {
    const welcome = consent.peek() && settings.peek().attachments && event.dataTransfer?.types.includes("Files");
    dropping.value = welcome === true;
    if (welcome) event.preventDefault();
  };
  const leave = (event: DragEvent): void => {
    if (!(event.currentTarget as Element).contains(event.relatedTarget as Node)) dropping.value = false;
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    dropping.value = false;
    addFiles([...(event.dataTransfer?.files ?? [])]);
  };
  return () => {
    const Foot = consent.value ? forms.value?.Foot : Consent;
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: dropping files is one more way to what a button does
      <div class="app" onDragOver={over} onDragLeave={leave} onDrop={drop}>
        <Header />
        <Bar />
        <Thread />
        {Foot && <Foot />}
        {/* In a place of its own: whoever types already must not lose it when the code of the forms comes. */}
        {consent.value && !asking.value && <Composer />}
        {dropping.value && (
          <div class="drop">
            <p>{t("drop")}</p>
          </div>
        )}
      </div>
    );
  };
});

/** Asked where the site wants it asked before anything is stored. */
const Consent = live(({ t, consent, focusComposer }) => () => {
  const agree = (): void => {
    consent.value = true;
    setTimeout(focusComposer);
  };
  return (
    <div class="consent">
      <p>{t("consentAsk")}</p>
      <button type="button" class="primary" onClick={agree}>
        {t("consentYes")}
      </button>
    </div>
  );
});
