/** The words of the line under the title in each state of the conversation. */

import type { Key } from "../../locales/en.types.ts";

/**
 * The text that follows the author, by state. Without a text only the author is shown, because another place of the panel says
 * more.
 */
export const HEADER_WORDS = {
  /** The relay accepts no messages from this page. The empty thread says so. */
  notAllowed: undefined,
  /** The conversation ended: for good, by an update of the relay, or by an expired identity. A row of the thread says which. */
  ended: undefined,
  /** The bar below the header says so. */
  offline: undefined,
  /** The bar below the header says so. */
  connecting: undefined,
  /** The service cannot be reached. The bar below the header says so. */
  delayed: undefined,
  /** No reply came for two minutes. */
  noReply: "noReply",
  /** Outside business hours. If no next opening is known, only the author is shown: the form in the place of the text field says so. */
  closed: "closedTitle",
  /** Replies come. The whole line is the text of the kind of author. */
  ready: undefined,
} as const satisfies Record<string, Key | undefined>;

export type HeaderState = keyof typeof HEADER_WORDS;
