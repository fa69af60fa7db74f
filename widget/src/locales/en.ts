/**
 * The words of the chat, in English: with `en.rare.ts` the source of every key. A translation is a file beside these two,
 * named by its BCP 47 tag (`de.ts`, `pt-BR.ts`, `zh-Hant.ts`), that exports `messages: Messages` with the keys of both.
 *
 * For translators: write as a friendly shop assistant would write in a chat, in the form of address that is usual in
 * messengers of your language. `{braces}` stay as they are and may move within the sentence. An object gives the plural
 * forms of your language by the CLDR categories that it has (zero, one, two, few, many, other); `{n}` is the number.
 * Texts on buttons are short. The name of a key says where the text appears; the comment above it says when.
 */
export const en = {
  // ── Launcher and panel ──────────────────────────────────────────────────────────────────────────────────────────
  /** One word, the launcher's name on the page: the usual word for a web chat. */
  chat: "Chat",
  /** Heading of the panel when the site has no title of its own. */
  title: "Chat with us",
  close: "Close chat",
  /** Button with three dots. */
  options: "Chat options",
  /** Read after the launcher's name while the panel is closed. */
  unread: { one: "{n} unread message", other: "{n} unread messages" },

  // ── Who answers ─────────────────────────────────────────────────────────────────────────────────────────────────
  /** Line under the title; the law requires that a visitor can tell when a machine answers. */
  statusAi: "AI assistant\u00a0· usually replies instantly",
  statusHuman: "Our team replies here",
  statusMixed: "AI assistant and our team",
  /** In the empty chat, above the first message. */
  noticeAi: "You're chatting with an AI assistant. It can make mistakes.",
  noticeHuman: "You're chatting with our team.",
  noticeMixed: "An AI assistant answers first. Someone from our team can step in.",
  /** Author of a reply, above its first bubble, and in what screen readers say. */
  authorAi: "AI assistant",
  authorHuman: "Our team",
  authorMixed: "AI or team",
  /** The shortest word for a machine that answers. Added to a site's own words when they do not mention one: "Maria · AI". */
  ai: "AI",
  /** Author of the visitor's own messages, for screen readers. */
  you: "You",

  // ── Empty chat ──────────────────────────────────────────────────────────────────────────────────────────────────
  /** Shown when the site has no greeting of its own. */
  greeting: "Hi! How can we help you?",
  /** Label of the group of suggested questions. */
  suggestions: "Suggested questions",
  privacyLine: "We store your messages so we can reply.",
  privacy: "Privacy policy",

  // ── Composer ────────────────────────────────────────────────────────────────────────────────────────────────────
  /** Label of the text field: one word. */
  message: "Message",
  placeholder: "Write a message…",
  send: "Send message",
  attach: "Attach a file",
  emoji: "Insert an emoji",

  // ── States of an own message, one or two words ──────────────────────────────────────────────────────────────────
  queued: "Waiting to send",
  sending: "Sending",
  /** Stored by the website. */
  sent: "Sent",
  /** Received by the people or the machine that answer. */
  delivered: "Delivered",
  /** Alone or before the reason: a sentence with its full stop. */
  failed: "Not sent.",
  retry: "Retry",

  // ── Thread ──────────────────────────────────────────────────────────────────────────────────────────────────────
  older: "Show earlier messages",
  today: "Today",
  yesterday: "Yesterday",
  /** Line above the first message not seen yet: one word, as in "new messages". */
  new: "New",
  /** Button that scrolls down to them. */
  newMessages: { one: "{n} new message", other: "{n} new messages" },
  /** Button that scrolls down when there are no new messages. */
  newest: "Go to the latest message",
  /** After a link, for screen readers. */
  newTab: "opens in a new tab",
  /** In place of a reply that was only a file, when the file could not be fetched. */
  noFile: "A file was sent that can't be shown here.",

  // ── Waiting for a reply ─────────────────────────────────────────────────────────────────────────────────────────
  /** For screen readers, while three dots are shown. */
  working: "The assistant is working on a reply",

  // ── Connection ──────────────────────────────────────────────────────────────────────────────────────────────────
  connecting: "Connecting…",
  offline: "You're offline. Messages will be sent when you're back online.",
  online: "You're back online.",
  delayed: "Replies may take longer right now. Your messages are safe.",
  often: "You're sending messages too quickly. Please wait a few seconds.",
  tryLater: "That didn't work. Please try again in a moment.",

  // ── Said by screen readers only ─────────────────────────────────────────────────────────────────────────────────
  said: "{author} said: {text}",
  /** After the beginning of a long message. */
  continues: "The message continues in the chat.",
  sentNow: "Message sent",
  failedNow: "A message wasn't sent.",
} as const;
