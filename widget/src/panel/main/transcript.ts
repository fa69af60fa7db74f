/** Saves the conversation as a text file. The file is made in the browser. */

import { effect } from "@preact/signals-core";
import { element } from "../../loader/dom.ts";
import { authorOf, wordsOf } from "../base/author.ts";
import type { Needs } from "../base/context.ts";
import { SCORES } from "../forms/scores.ts";

/** Time limit for loading older messages, in milliseconds. The transcript omits messages that have not arrived by then. */
const ANSWER_MS = 10_000;

type TranscriptNeeds = Needs<"t" | "language" | "settings" | "chat" | "now">;

/** Spaces, and characters that file systems do not allow in a name (Windows forbids the most). */
const NOT_IN_FILE_NAMES = /[\s\p{Cc}\\/:*?"<>|]+/gu;

/** Name of the file: the site and the visitor's day, such as `Lampwright 2026-11-22.txt`. */
export function transcriptName({ settings, now }: Needs<"settings" | "now">): string {
  const site = (settings.peek().title || location.host).replace(NOT_IN_FILE_NAMES, " ").trim();
  const date = new Date(now());
  const two = (n: number): string => `${n}`.padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${site} ${day}.txt`.trimStart();
}

/**
 * The conversation as plain text, which every device can open and which cannot contain code.
 * @param readable returns the text of a reply without Markdown. Where the site formats no replies, they stay as they are
 */
export function transcriptOf(ui: TranscriptNeeds, readable: (reply: string) => string): string {
  const { t, chat, settings, language } = ui;
  const date = new Intl.DateTimeFormat(language.value.region, { dateStyle: "medium", timeStyle: "short" });
  const name = settings.value.title || location.host;
  const messages = chat.items.value.map((item) => {
    const { from, at, media } = item;
    const isOwn = from === "visitor";
    const words = wordsOf(ui, item);
    const isFormatted = !isOwn && settings.value.markdown;
    const lines = [isFormatted ? readable(words) : words, media ? `[${media.name}]` : ""].filter(Boolean);
    return [`${isOwn ? t("you") : authorOf(ui, item)} (${date.format(at)})`, ...lines, ""].join("\n");
  });
  const { score, of = 5, comment = "" } = chat.rating.value ?? {};
  const label = score && SCORES[of][score - 1];
  const rating = label ? [`${t("rateAsk")}\n${t(label)} (${score}/${of})\n${comment}`.trimEnd(), ""] : [];
  return [`${t("transcriptOf", { name })}\n${location.host}\n`, ...messages, ...rating].join("\n");
}

/** Loads older history until all is loaded or the relay does not answer. */
async function loadAll({ chat }: Needs<"chat">): Promise<void> {
  for (let count = -1; chat.older.peek() && chat.items.peek().length > count; ) {
    count = chat.items.peek().length;
    chat.loadOlder();
    let stop = (): void => {};
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((done) => {
      timer = setTimeout(done, ANSWER_MS);
      stop = effect(() => {
        if (chat.items.value.length > count || chat.link.value !== "online") done();
      });
    });
    clearTimeout(timer);
    stop();
  }
}

/** Loads the whole conversation and lets the browser save it as a file. */
export async function downloadTranscript(ui: TranscriptNeeds): Promise<void> {
  const [{ readableText }] = await Promise.all([import("../thread/rich-text.tsx"), loadAll(ui)]);
  const text = transcriptOf(ui, readableText);
  const url = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/plain;charset=utf-8" }));
  element("a", { href: url, download: transcriptName(ui) }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
