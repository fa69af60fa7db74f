/** The author and the text of a message in the visitor's language. */

import type { ReplyAuthor } from "@porchlight/shared/protocol";
import type { ReadonlySignal } from "@preact/signals-core";
import type { Item } from "../../conversation/chat.ts";
import type { PanelSettings } from "../../settings/options.ts";
import type { Translate } from "../../text/i18n.ts";

type SiteSettings = { settings: ReadonlySignal<PanelSettings> };
type Words = { t: Translate };

/** The kind of the author, as the ending of a text's key. */
export const replyAuthorKind = ({ settings }: SiteSettings): "Ai" | "Human" | "Mixed" => {
  const { responder } = settings.value;
  return responder === "human" ? "Human" : responder === "mixed" ? "Mixed" : "Ai";
};

/** The author whom a reply names, if the site shows authors. */
export const namedAuthor = ({ settings }: SiteSettings, { author }: Partial<Item>): ReplyAuthor | undefined =>
  settings.value.replyConventions ? author : undefined;

/**
 * What the panel calls the author of a reply; without an item, the author of replies in general. A name never hides that a
 * machine may have written the reply (AI Act, Art. 50).
 */
export const authorOf = (ui: SiteSettings & Words, item: Partial<Item> = {}): string => {
  const author = namedAuthor(ui, item);
  return author && replyAuthorKind(ui) === "Human"
    ? author.name
    : (author ? `${author.name} · ` : "") + ui.t(`author${replyAuthorKind(ui)}`);
};

/** The text of a message without its author's name. Says in the visitor's language that a file is not available here. */
export const wordsOf = (ui: SiteSettings & Words, item: Item): string => {
  const { text, noFile } = item;
  return (noFile ? text.slice(0, noFile[0]) + ui.t("noFile") + text.slice(noFile[1]) : text).slice(
    namedAuthor(ui, item)?.end,
  );
};
