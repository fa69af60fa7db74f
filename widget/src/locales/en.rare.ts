/** Words of the parts that are fetched when they are first used: menu, files, failures, reactions, forms. See `en.ts`. */
export const rare = {
  // ── Menu ────────────────────────────────────────────────────────────────────────────────────────────────────────
  transcript: "Download conversation",
  /** Heading within the downloaded file. */
  transcriptOf: "Conversation with {name}",
  /** Offered when the visitor has left an email address; the second text replaces it once the email is on its way. */
  mailCopy: "Email conversation",
  mailGone: "It's on its way to your inbox.",
  soundOn: "Turn sound on",
  soundOff: "Turn sound off",
  /** Switches browser notifications on and off. */
  notifyMe: "Notify me of replies",
  notifyStop: "Stop notifications",
  /** Replaces both when the visitor has blocked notifications. */
  notifyBlocked: "Your browser blocks notifications from this site.",
  forget: "Delete conversation",
  forgetAsk: "Delete this conversation?",
  /** Below that question. */
  forgetBody: "It will be removed from this device and from our server. This can't be undone.",
  /** Follows that text: which data the deletion does not remove. */
  forgetRest: "The messaging service and its AI may keep a copy.",
  /** In place of the conversation, once it is deleted. */
  forgotten: "Conversation deleted",
  cancel: "Cancel",
  delete: "Delete",

  // ── Composer ────────────────────────────────────────────────────────────────────────────────────────────────────
  /** Near the limit, read by screen readers: how many characters are left. */
  left: { one: "{n} character left", other: "{n} characters left" },
  tooLong: { one: "{n} character over the limit", other: "{n} characters over the limit" },

  // ── Waiting for a reply ─────────────────────────────────────────────────────────────────────────────────────────
  /** After ten seconds. */
  stillWorking: "Still working on it.",
  /** After thirty seconds. */
  slow: "This is taking longer than usual. You can keep browsing. The reply will appear here.",
  /** After two minutes. */
  noReply: "No reply yet.",
  /** Button: puts the question back into the text field. */
  askAgain: "Ask again",

  // ── Files ───────────────────────────────────────────────────────────────────────────────────────────────────────
  /** Alternative text of a picture without one. */
  picture: "Picture from {author}",
  /** Before the name of a file in a message, for screen readers. */
  file: "File",
  /** Below the name of a file that is no longer stored. */
  gone: "No longer available",
  /** Button of an audio file, and while it plays. */
  play: "Play",
  pause: "Pause",
  /** Shown over the chat while files are dragged onto it. */
  drop: "Drop files to attach",
  uploading: "Uploading {name}",
  uploadFailed: "Upload failed.",
  /** Below the name of the file. `{max}` is a size such as "10 MB". */
  tooBig: "Too large. The limit is {max}.",
  wrongType: "This type of file can't be sent.",
  emptyFile: "This file is empty.",
  /** The visitor picked too many files at once; `{n}` is 5. */
  tooMany: "You can add up to {n} files at a time. The others weren't added.",
  /** Button on a file that is not sent yet. */
  removeFile: "Remove {name}",
  // ── Why a message failed: a sentence after "Not sent." ──────────────────────────────────────────────────────────
  failedRejected: "This message couldn't be accepted.",
  failedExpired: "It couldn't be delivered in time.",
  failedClosed: "This chat can't receive messages right now.",
  /** The message was found unsent when the visitor returned to the page. */
  failedStale: "It hadn't been sent when you left.",
  failedTooLong: "It is too long.",
  failedFile: "The file is no longer available. Please attach it again.",
  failedOften: "You were sending messages too quickly.",

  // ── Beside the launcher ─────────────────────────────────────────────────────────────────────────────────────────
  /** Button of the small bubble with a line or the beginning of a reply, drawn as a cross. */
  dismiss: "Close",

  // ── Reactions ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Button under a reply. */
  react: "React",
  unreact: "Remove {emoji}",
  reactWith: "React with {emoji}",

  // ── Replies ─────────────────────────────────────────────────────────────────────────────────────────────────────
  /** Button beside a reply or a block of code, and what is said once it is done. */
  copy: "Copy",
  copied: "Copied",
  /** Button where a site lets visitors ask for a person instead of the AI; also the message that it sends. */
  askPerson: "Talk to a person",
  /** Label of a group of buttons, each with a topic of the site. */
  topics: "Choose a topic",
  /** Label of a group of buttons below a reply, each with an answer. */
  quickReplies: "Suggested replies",

  // ── Consent ─────────────────────────────────────────────────────────────────────────────────────────────────────
  /** Asked before anything is stored, when the site requires consent. */
  consentAsk: "To chat with you, we store this conversation on your device and on our server.",
  consentYes: "Agree and chat",

  // ── Forms ───────────────────────────────────────────────────────────────────────────────────────────────────────
  /** Card after the first message. */
  emailAsk: "Leave your email and we'll send replies there",
  phoneAsk: "Can we call you back?",
  /** Button of the card that asks for an email address. */
  emailSave: "Notify me",
  /** Labels of fields. */
  name: "Name",
  email: "Email",
  phone: "Phone",
  /** After the label of a field that may stay empty. */
  optional: "optional",
  save: "Save",
  skip: "No, thanks",
  saved: "Thanks, saved!",
  required: "Please fill in this field.",
  emailWrong: "Please enter a valid email address.",
  phoneWrong: "Please enter your number with the country code, for example +44 20 7946 0000.",
  /** Form before the first message, when the site asks for one. */
  formTitle: "Before we start",
  formStart: "Start chat",
  /** Outside business hours, under the title, after the author and a dot: a short sentence without a full stop. */
  closedTitle: "We're away right now",
  /** Heading of the form outside business hours. `{when}` is a day and time in the visitor's language, such as "Monday at 9:00". */
  closedUntil: "We'll be back {when}",
  /** The same heading if that is the visitor's day today or tomorrow. `{time}` is a time such as "9:00". */
  closedToday: "We'll be back today at {time}",
  closedTomorrow: "We'll be back tomorrow at {time}",
  /** Below that heading. */
  closedBody: "Leave a message and we'll get back to you.",
  /** How a day and a time are combined, such as "Monday" and "9:00"; the day may be a date: "Monday, January 12". */
  dayTime: "{day} at {time}",
  closedSend: "Leave a message",
  closedSent: "Thanks! We've got your message and we'll get back to you.",

  // ── How long it takes ───────────────────────────────────────────────────────────────────────────────────────────
  /**
   * Under the title, after the author and a dot, and alone. `{time}` is a length of time such as "2 hours", in the nominative.
   * If a sentence would inflect it, use a colon instead ("reply time: 2 hours").
   */
  repliesIn: "usually replies in about {time}",

  // ── Rating ──────────────────────────────────────────────────────────────────────────────────────────────────────
  /** Asked when the conversation seems to be over. */
  rateAsk: "How was your conversation?",
  /** Five answers, or "bad" and "good" alone: one short word each, below a drawn face. */
  rateAwful: "Awful",
  rateBad: "Bad",
  rateFair: "Okay",
  rateGood: "Good",
  rateGreat: "Great",
  /** Label of a text field. */
  rateWhy: "Anything you'd like to add?",
  /** Button. */
  rateSend: "Send rating",
  /** In place of the form, once the rating is sent. */
  rateThanks: "Thanks for your feedback!",

  // ── The end of a conversation ─────────────────────────────────────────────────────────────────────────────────────────
  endedGone: "This conversation has ended.",
  /** Button below it. */
  startNew: "Start a new conversation",
  endedNotAllowed: "This chat isn't available here.",
  endedVersion: "This chat has been updated. Please reload the page.",
  endedToken: "You've been signed out. Please sign in again to continue.",
  reload: "Reload the page",
} as const;
