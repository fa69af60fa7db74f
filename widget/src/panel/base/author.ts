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
 * The author of replies, in words, or of one reply. The name in a reply never hides that a machine may have written it
 * (AI Act, Art. 50).
 */
export const authorOf = (ui: SiteSettings & Words, { author }: Partial<Item> = {}): string =>
  author && replyAuthorKind(ui) === "Human"
    ? author.name
    : (author ? `${author.name} · ` : "") + ui.t(`author${replyAuthorKind(ui)}`);

/** The text of a message without its author's name. A file that is not available here is named in the visitor's language. */
export const wordsOf = ({ t }: Words, { text, noFile, author }: Item): string =>
  (noFile ? text.slice(0, noFile[0]) + t("noFile") + text.slice(noFile[1]) : text).slice(author?.end);
