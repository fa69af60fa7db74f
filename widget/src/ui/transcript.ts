/** The conversation as a text file, made in the browser: nothing leaves it for this. */

import { authorOf, type Ui } from "./context.ts";
import { element } from "./dom.ts";

/** Plain text: opens everywhere, holds no markup that could be anything else. */
export function transcriptOf(ui: Ui): string {
  const { t, chat, settings, language } = ui;
  const date = new Intl.DateTimeFormat(language.value.region, { dateStyle: "medium", timeStyle: "short" });
  const name = settings.value.title || location.host;
  const messages = chat.items.value.map(({ from, at, text, media }) => {
    const author = from === "visitor" ? t("you") : authorOf(ui);
    const file = media ? `\n[${media.name}]` : "";
    return `${author} (${date.format(at)})\n${text}${file}\n`;
  });
  return [`${t("transcriptOf", { name })}\n${location.host}\n`, ...messages].join("\n");
}

export function downloadTranscript(ui: Ui): void {
  const url = URL.createObjectURL(new Blob(["\ufeff", transcriptOf(ui)], { type: "text/plain;charset=utf-8" }));
  element("a", { href: url, download: `${ui.settings.peek().site}-chat.txt` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
