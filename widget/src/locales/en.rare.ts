/** Words of the parts that are fetched when they are first used: menu, files, failures, reactions, forms. See `en.ts`. */
export const rare = {
  // ── Menu ────────────────────────────────────────────────────────────────────────────────────────────────────────
  transcript: "Download conversation",
  /** Heading within the downloaded file. */
  transcriptOf: "Conversation with {name}",
  /** Where the visitor left an e-mail address, and in its place once it is done. */
  mailCopy: "E-mail conversation",
  mailGone: "It is on its way to your inbox.",
  soundOn: "Turn sound on",
  soundOff: "Turn sound off",
  /** Switches messages of the browser on and off. */
  notifyMe: "Notify me of replies",
  notifyStop: "Stop notifications",
  /** Instead of the two, where the visitor has forbidden them. */
  notifyBlocked: "Your browser blocks notifications from this site.",
  forget: "Delete conversation",
  forgetAsk: "Delete this conversation? It is removed from this device and from our server. This cannot be undone.",
  /** Behind it: whom the deletion does not reach. */
  forgetRest: "The messaging service and its AI may keep a copy.",
  /** Once it is done, in place of the conversation. */
  forgotten: "Conversation deleted",
  cancel: "Cancel",
  delete: "Delete",

  // ── Waiting for a reply ─────────────────────────────────────────────────────────────────────────────────────────
  /** After ten seconds. */
  stillWorking: "Still working on it.",
  /** After thirty seconds. */
  slow: "This is taking longer than usual. You can keep browsing; the reply will appear here.",
  /** After two minutes. */
  noReply: "No reply yet.",
  /** Button: puts the question back into the text field. */
  askAgain: "Ask again",

  // ── Files ───────────────────────────────────────────────────────────────────────────────────────────────────────
  /** Alternative text of a picture without one. */
  picture: "Picture from {author}",
  /** Before the name of a file in a message, for screen readers. */
  file: "File",
  /** Below the name of a file that is not kept any more. */
  gone: "No longer available",
  /** Shown over the chat while a file is dragged onto it. */
  drop: "Drop the file here to send it",
  uploading: "Uploading {name}",
  uploadFailed: "{name} could not be uploaded.",
  /** `{max}` is a size such as "10 MB". */
  tooBig: "{name} is too large. The limit is {max}.",
  wrongType: "Files of this type cannot be sent.",
  /** More were picked at once than can be; `{n}` is 5. */
  tooMany: "Up to {n} files at a time: the others were not added.",
  /** Button on a file that is not sent yet. */
  removeFile: "Remove {name}",
  // ── Why a message failed: a sentence after "Not sent." ──────────────────────────────────────────────────────────
  failedRejected: "This message could not be accepted.",
  failedExpired: "It could not be delivered in time.",
  failedClosed: "This chat cannot take messages right now.",
  /** Found unsent after coming back to the page. */
  failedStale: "It was still waiting when you left.",
  failedTooLong: "It is too long.",
  failedFile: "The file is no longer there. Please attach it again.",
  failedOften: "You were sending very quickly.",

  // ── Beside the launcher ─────────────────────────────────────────────────────────────────────────────────────────
  /** Button of the small bubble with a line or the beginning of a reply, drawn as a cross. */
  dismiss: "Close",

  // ── Reactions ───────────────────────────────────────────────────────────────────────────────────────────────────
  /** Name of each emoji that can be chosen for a reply. */
  reactWith: "React with {emoji}",

  // ── Consent ─────────────────────────────────────────────────────────────────────────────────────────────────────
  /** Asked before anything is stored, when the site requires consent. */
  consentAsk: "To chat, this conversation is stored on your device and on our server.",
  consentYes: "Agree and chat",

  // ── Forms ───────────────────────────────────────────────────────────────────────────────────────────────────────
  /** Card after the first message. */
  emailAsk: "Get the reply by e-mail if you leave",
  phoneAsk: "May we call you back?",
  /** Labels of fields. */
  name: "Name",
  email: "E-mail",
  phone: "Phone",
  /** After the label of a field that may stay empty. */
  optional: "optional",
  save: "Save",
  skip: "No, thanks",
  saved: "Thank you, saved.",
  required: "Please fill in this field.",
  emailWrong: "Please enter a valid e-mail address.",
  phoneWrong: "Please enter your number with the country code, for example +44 20 7946 0000.",
  /** Form before the first message, when the site asks for one. */
  formTitle: "Before we start",
  formStart: "Start chat",
  /** Form outside business hours. */
  closedTitle: "We're away right now",
  /** `{when}` is a day and time in the visitor's language, such as "Monday at 9:00". */
  closedUntil: "We're back {when}. Leave a message and we'll get back to you.",
  closedBody: "Leave a message and we'll get back to you.",
  /** Under the title, after the author and a dot: when somebody is there again. `{when}` is a time, or a short day and a time. */
  backAt: "back {when}",
  /** How a day and a time stand together, such as "Monday" and "9:00"; the day may be a date: "Monday, January 12". */
  dayTime: "{day} at {time}",
  closedSend: "Leave message",
  closedSent: "Thank you! We have your message and will get back to you.",

  // ── How long it takes ───────────────────────────────────────────────────────────────────────────────────────────
  /**
   * Under the title, after the author and a dot, and alone. `{time}` is a length of time such as "2 hours", in the nominative:
   * where a sentence would bend it, better a colon ("reply time: 2 hours").
   */
  repliesIn: "usually replies in about {time}",

  // ── Rating ──────────────────────────────────────────────────────────────────────────────────────────────────────
  /** Asked when the conversation seems over. */
  rateAsk: "How was this conversation?",
  /** Five answers, or "bad" and "good" alone: one short word each, below a drawn face. */
  rateAwful: "Awful",
  rateBad: "Bad",
  rateFair: "Okay",
  rateGood: "Good",
  rateGreat: "Great",
  /** Label of a text field. */
  rateWhy: "Anything you would like to add?",
  /** Button. */
  rateSend: "Send rating",

  // ── The end of the line ─────────────────────────────────────────────────────────────────────────────────────────
  endedGone: "This conversation has ended.",
  /** Button below it. */
  startNew: "Start a new one",
  endedNotAllowed: "This chat is not available here.",
  endedVersion: "This chat has been updated. Please reload the page.",
  endedToken: "You have been signed out. Please sign in again to go on.",
  reload: "Reload the page",
} as const;
