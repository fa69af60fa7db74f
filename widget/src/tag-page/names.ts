/** The words of the page that makes the tag: a label for each setting, a name for each choice, and a line of help. */

import { SETTINGS, type SiteSetting } from "@porchlight/shared/settings";

/** Labels of settings whose names are not clear enough. */
const NAMES: Readonly<Record<string, string>> = {
  suggestions: "Suggested questions",
  label: "Name of the launcher",
  locale: "Language",
  privacyUrl: "Privacy policy",
  teaserAfter: "Seconds until the teaser",
  teaserScroll: "Scroll depth for the teaser",
  teaserExit: "Teaser when the pointer leaves",
  teaserPages: "Pages with the teaser",
  teaserWhen: "When to show the teaser",
  accent: "Brand colour",
  theme: "Light or dark",
  avatar: "Picture in the header",
  radius: "Rounded corners",
  icon: "Icon of the launcher",
  responder: "Who answers",
  replyMinutes: "Minutes until a reply",
  askPerson: "Talk to a person",
  replyPreview: "Preview of replies",
  requireConsent: "Ask for consent first",
  markdown: "Formatted replies",
  replyConventions: "Answers and cards",
  attachments: "Files from visitors",
  shrinkPictures: "Make pictures smaller",
  camera: "Camera on phones",
  voice: "Voice messages",
  mediaViewer: "Media in the chat",
  emojiPicker: "Emoji button",
  prechat: "Form before the first message",
  capture: "Card after the first message",
  customFields: "Your own fields",
  emailOffer: "Offer replies by email",
  articles: "Address of the help articles",
  offsetX: "Distance from the side",
  offsetY: "Distance from the bottom",
  zIndex: "Stacking order",
  prefill: "Prepared values",
  phone: "Settings for phones",
  strings: "Words of the chat",
};

/** The label of a setting. */
export const labelOf = (name: string): string =>
  NAMES[name] ??
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^./, (letter) => letter.toUpperCase());

/** What each choice is, by setting and value. */
const CHOICES: { readonly [Name in SiteSetting]?: Readonly<Record<string, string>> } = {
  theme: { auto: "Like the visitor's system", light: "Light", dark: "Dark" },
  header: { quiet: "Plain", accent: "Brand colour" },
  launcher: { icon: "Icon", text: "Icon and name", none: "None" },
  responder: { ai: "AI assistant", human: "People", mixed: "AI assistant and people" },
  rating: { off: "Off", two: "Good or bad", five: "Five steps" },
  position: { right: "Right", left: "Left" },
};

/** How the page names a value of a setting; the value itself when it has no name. */
export const choiceNameOf = (name: SiteSetting, value: string): string => CHOICES[name]?.[value] ?? value;

/** Help that differs from the manual's: below a label it need not say again what the setting is. Empty: none. */
const HELP: { readonly [Name in SiteSetting]?: string } = {
  label: "Read by screen readers. Visible where the launcher shows its name.",
  locale: "Such as de or pt-BR. With auto, the page's language, then the browser's.",
  privacyUrl: "Its address, with https:// in front.",
  teaserAfter: "Empty: 8, or off if a scroll depth or the pointer is set.",
  teaserScroll: "In per cent of the page.",
  teaserExit: "At the top of the page.",
  teaserPages: "Paths such as /cart or /shop/*. Empty: all pages.",
  teaserWhen: "A condition on a value that the page passes: cart>=50, plan=free, returning.",
  accent: "A colour of medium lightness is darkened until white text on it is readable.",
  theme: "",
  header: "",
  avatar: "Its address. Empty: the first letter of the title.",
  radius: "Of the panel, in pixels.",
  launcher: "With None, the page opens the chat itself.",
  icon: "An SVG path on 24 by 24 pixels.",
  responder: "Header and replies say so.",
  replyMinutes: "How long an answer usually takes. The header shows it.",
  rating: "Asked once, when the chat is closed or idle.",
  topics: "Choices to begin with: label or label=route.",
  askPerson: "Name of the route for this button. Empty: no button.",
  markdown: "With buttons that copy replies and code. Off: plain text with links.",
  replyConventions: "And the author's name. Off: their lines stay text. Cards need formatted replies.",
  mediaViewer: "Pictures open large, audio and video play in place. Off: they open in a new tab.",
  emojiPicker: "In the text field, with a search, for visitors with a mouse.",
  shrinkPictures: "Large ones, before they are sent.",
  articles: "A JSON file. Empty: help/SITE.json in the relay's data folder.",
  position: "",
  offsetX: "In pixels.",
  offsetY: "In pixels.",
  zIndex: "Lower it where something has to cover the chat.",
  hours: "When somebody is there: 9:00-17:00, or 9:00-12:00, 13:00-17:00. Outside of it a form takes a message.",
  phone: "What differs on phones. To see it, make this window as narrow as a phone.",
  prechat: "Visitors fill it in before they can write.",
  capture: "Asked once, after the first message. Visitors can decline.",
  customFields: "The forms above can ask for them. What visitors enter is sent as a message.",
  prefill: "What the text field and the forms begin with. Visitors can change it.",
  strings: "They replace our words, in every language.",
};

/** The line of help below a setting; empty: none. */
export const helpOf = (name: SiteSetting): string => HELP[name] ?? `${SETTINGS[name].help.replaceAll("`", "")}.`;
