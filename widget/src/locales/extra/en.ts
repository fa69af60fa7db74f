/**
 * The English words of features that few sites switch on: voice messages, camera, emoji search, start screen, custom fields.
 * A translation is a file beside this one, named by its BCP 47 tag, that exports `extra: Extra`. See `../en.ts`.
 */
export const extra = {
  // ── Composer ────────────────────────────────────────────────────────────────────────────────────────────────────
  /** Button: opens the camera of a phone. */
  camera: "Take a photo",
  /** Button: starts a recording. */
  record: "Record a voice message",
  /** Said and shown while the microphone records. */
  recording: "Recording",
  /** Button: ends the recording and adds it to the message. */
  recordDone: "Add the recording",
  /** Button: throws the recording away. */
  recordDiscard: "Discard the recording",
  /** Name of the recorded file. */
  voiceMessage: "Voice message",
  micBlocked: "The microphone is blocked. Allow it in your browser's settings.",
  micFailed: "The microphone can't be used right now.",

  // ── Emoji ───────────────────────────────────────────────────────────────────────────────────────────────────────
  emojiSearch: "Search emoji",
  emojiNone: "No emoji found",
  /** Names of the groups. */
  emojiFaces: "Smileys",
  emojiPeople: "People",
  emojiNature: "Animals and nature",
  emojiFood: "Food and drink",
  emojiTravel: "Travel and places",
  emojiThings: "Activities and objects",
  emojiSymbols: "Symbols",

  // ── Start screen ────────────────────────────────────────────────────────────────────────────────────────────────
  /** Heading of the list, and the button that leads back to it. */
  helpTitle: "Help articles",
  /** Label of the search field. */
  helpSearch: "Search for help",
  helpNone: "No articles found",
  /** Buttons that lead to the chat. */
  helpStart: "Send us a message",
  helpContinue: "Continue your conversation",
  /** Button: from an article back to the list. */
  back: "Back",
  /** Link from an article to its page. */
  helpOpen: "Open the full article",

  // ── Custom fields ───────────────────────────────────────────────────────────────────────────────────────────────
  /** First entry of a list of choices. */
  choose: "Please choose",
  /** Under a field with a value of the wrong kind. */
  fieldWrong: "Please check this field.",
  /** What a ticked box says in the conversation. */
  yes: "Yes",
} as const;

export type ExtraKey = keyof typeof extra;
export type Extra = { readonly [Key in ExtraKey]: string };
