/** The author and the text of a message in the visitor's language. */

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

/**
 * What the panel calls the author of a reply; without an item, the author of replies in general. A name never hides that a
 * machine may have written the reply (AI Act, Art. 50).
 */
export const authorOf = (ui: SiteSettings & Words, { author }: Partial<Item> = {}): string =>
  author && replyAuthorKind(ui) === "Human"
    ? author.name
    : (author ? `${author.name} · ` : "") + ui.t(`author${replyAuthorKind(ui)}`);

/** The text of a message without its author's name. Says in the visitor's language that a file is not available here. */
export const wordsOf = ({ t }: Words, { text, noFile, author }: Item): string =>
  (noFile ? text.slice(0, noFile[0]) + t("noFile") + text.slice(noFile[1]) : text).slice(author?.end);
