/** Saves the conversation as a text file. The file is made in the browser. */

import { effect } from "@preact/signals-core";
import { element } from "../../loader/dom.ts";
import { authorOf } from "../base/author.ts";
import type { Needs } from "../base/context.ts";
import { SCORES } from "../forms/scores.ts";

/** After this many milliseconds without an answer the rest of the history is left out. */
const ANSWER_MS = 10_000;

type TranscriptNeeds = Needs<"t" | "language" | "settings" | "chat">;

/** Plain text: opens everywhere, holds no markup that could be anything else. */
export function transcriptOf(ui: TranscriptNeeds): string {
  const { t, chat, settings, language } = ui;
  const date = new Intl.DateTimeFormat(language.value.region, { dateStyle: "medium", timeStyle: "short" });
  const name = settings.value.title || location.host;
  const messages = chat.items.value.map(({ from, at, text, media }) => {
    const author = from === "visitor" ? t("you") : authorOf(ui);
    const file = media ? `\n[${media.name}]` : "";
    return `${author} (${date.format(at)})\n${text}${file}\n`;
  });
  const { score, of = 5, comment = "" } = chat.rating.value ?? {};
  const label = score && SCORES[of][score - 1];
  const rating = label ? [`${t("rateAsk")}\n${t(label)} (${score}/${of})\n${comment}`.trimEnd(), ""] : [];
  return [`${t("transcriptOf", { name })}\n${location.host}\n`, ...messages, ...rating].join("\n");
}

/** Loads older history, until there is no more or no answer comes. */
async function loadAll({ chat }: Needs<"chat">): Promise<void> {
  for (let had = -1; chat.older.peek() && chat.items.peek().length > had; ) {
    had = chat.items.peek().length;
    chat.loadOlder();
    let stop = (): void => {};
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((done) => {
      timer = setTimeout(done, ANSWER_MS);
      stop = effect(() => {
        if (chat.items.value.length > had || chat.link.value !== "online") done();
      });
    });
    clearTimeout(timer);
    stop();
  }
}

export async function downloadTranscript(ui: TranscriptNeeds): Promise<void> {
  await loadAll(ui);
  const url = URL.createObjectURL(new Blob(["\ufeff", transcriptOf(ui)], { type: "text/plain;charset=utf-8" }));
  element("a", { href: url, download: `${ui.settings.peek().site}-chat.txt` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
