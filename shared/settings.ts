/**
 * Every setting of a site's chat: its allowed values, its default and its effect. The configuration file, the page's
 * `data-*` and objects, the page that makes the tag and the table in the widget's manual all read this one list.
 */

import { conditionOf } from "./condition.ts";
import { DAYS, spansOf } from "./hours.ts";
import { isFields } from "./json-fields.ts";
import type { CustomFieldType, Look, PublicSite } from "./site.ts";

type Rule =
  | { kind: "text"; max: number }
  | { kind: "choice"; of: readonly string[] /** Whether `#id` and `.class` are allowed too. */; selector?: boolean }
  | { kind: "number"; min: number; max: number }
  | { kind: "switch" }
  | { kind: "list"; max: number; each: number }
  | {
      kind:
        | "colour"
        | "address"
        | "language"
        | "path"
        | "condition"
        | "fields"
        | "customFields"
        | "hours"
        | "words"
        | "phone";
    };

export type Setting = Rule & {
  /** Default, in words. */
  fallback: string;
  help: string;
};

/** The settings of a site's chat. The relay itself sets `id`, `uploads` and `mail`. */
export type SiteSetting = keyof Look | Exclude<keyof PublicSite, "id" | "uploads" | "mail" | keyof Look>;

const text = (max: number): Rule => ({ kind: "text", max });
const choice = (...of: string[]) => ({ kind: "choice" as const, of });
const number = (min: number, max: number): Rule => ({ kind: "number", min, max });
const setting = (rule: Rule, fallback: string, help: string): Setting => ({ ...rule, fallback, help });

/** Every setting by name, in the order of the manual. */
export const SETTINGS: Readonly<Record<SiteSetting, Setting>> = {
  title: setting(text(80), "Chat with us", "heading of the panel"),
  greeting: setting(
    text(500),
    "Hi! How can we help you?",
    "first words; `{name}` is the first name of a signed visitor",
  ),
  suggestions: setting({ kind: "list", max: 6, each: 120 }, "none", "questions to begin with; four are shown"),
  accent: setting(
    { kind: "colour" },
    "#4f46e5",
    "brand colour; a colour of medium lightness is darkened until white text on it is readable",
  ),
  theme: setting(choice("auto", "light", "dark"), "auto", "`auto` follows the visitor's system"),
  locale: setting({ kind: "language" }, "auto", "language; `auto`: the page's, then the browser's"),
  responder: setting(choice("ai", "human", "mixed"), "ai", "who answers; header and replies say so"),
  privacyUrl: setting({ kind: "address" }, "none", "address of the privacy policy"),
  position: setting(choice("right", "left"), "right", "corner of the window"),
  offsetX: setting(number(0, 999), "20", "pixels from the side"),
  offsetY: setting(number(0, 999), "20", "pixels from the bottom"),
  zIndex: setting(
    number(-2_147_483_648, 2_147_483_647),
    "2147483000",
    "stacking order; lower it where something has to cover the chat",
  ),
  radius: setting(number(0, 60), "20", "roundness of the panel's corners, in pixels"),
  launcher: setting(
    { ...choice("icon", "text", "none"), selector: true },
    "icon",
    "`text`: with its name on it; `none`: the page opens the chat; `#id` or `.class`: elements of the page open it",
  ),
  label: setting(text(40), "the word for chat", "name of the launcher"),
  icon: setting({ kind: "path" }, "a speech bubble", "the launcher's drawing: an SVG path on 24 by 24 pixels"),
  avatar: setting({ kind: "address" }, "first letter of the title", "address of a picture for the header"),
  team: setting(
    { kind: "list", max: 20, each: 2_000 },
    "none",
    "people whose faces the header shows: `name=address of a picture`, or `name`",
  ),
  header: setting(choice("quiet", "accent"), "quiet", "`accent` fills the header with the colour"),
  teaser: setting(text(200), "none", "a line beside the launcher, not on phones"),
  teaserAfter: setting(
    number(0, 3_600),
    "8",
    "seconds until the teaser; by default off where `teaserScroll` or `teaserExit` is set",
  ),
  teaserScroll: setting(number(0, 100), "off", "shows the teaser when the page is scrolled this far, in per cent"),
  teaserExit: setting({ kind: "switch" }, "off", "shows the teaser when the pointer leaves the page at its top"),
  teaserPages: setting(
    { kind: "list", max: 20, each: 200 },
    "all",
    "paths with the teaser, such as `/cart` or `/shop/*`",
  ),
  teaserWhen: setting(
    { kind: "condition" },
    "none",
    "shows the teaser only if a value that the page passes in `values` meets the condition: `cart>=50`, `plan=free`, `returning`",
  ),
  requireConsent: setting(
    { kind: "switch" },
    "off",
    "before the visitor agrees, nothing is stored or sent, and no teaser appears",
  ),
  sound: setting({ kind: "switch" }, "on", "a soft sound in a hidden tab, once the visitor has written"),
  replyPreview: setting(
    { kind: "switch" },
    "on",
    "a reply to a closed chat shows its first two lines beside the launcher",
  ),
  markdown: setting({ kind: "switch" }, "on", "replies are formatted and can be copied; off: plain text with links"),
  replyConventions: setting(
    { kind: "switch" },
    "on",
    "answers to choose from, cards and authors in replies; off: plain lines",
  ),
  attachments: setting({ kind: "switch" }, "on", "visitors may attach files, where the relay accepts them"),
  voice: setting(
    { kind: "switch" },
    "off",
    "a microphone in the text field records voice messages, where the relay accepts audio",
  ),
  camera: setting({ kind: "switch" }, "off", "phones offer their camera beside the file button"),
  shrinkPictures: setting({ kind: "switch" }, "on", "large pictures are made smaller before they are sent"),
  mediaViewer: setting({ kind: "switch" }, "on", "pictures open large, audio and video play in the chat; off: links"),
  emojiPicker: setting({ kind: "switch" }, "on", "the text field offers emoji to visitors with a mouse"),
  startScreen: setting(
    { kind: "switch" },
    "off",
    "the chat opens with help articles to search, suggestions and a button to the conversation",
  ),
  articles: setting(
    { kind: "address" },
    "the relay's own",
    "address of the help articles as JSON; without one `help/SITE.json` in the relay's data folder",
  ),
  customFields: setting(
    { kind: "customFields" },
    "none",
    "fields of your own by name: `label`, `type` (`text` `long` `number` `date` `url` `choice` `checkbox`), `choices`",
  ),
  emailOffer: setting(
    { kind: "switch" },
    "on where the relay sends mail",
    "after half a minute without a reply, visitors may leave an email address; without `SMTP_URL` you send the reply",
  ),
  prechat: setting(
    { kind: "fields" },
    "none",
    "form before the first message: `name`, `email`, `phone`, custom fields; `phone?` may stay empty",
  ),
  capture: setting({ kind: "fields" }, "none", "card after the first message, with these fields; can be declined"),
  prefill: setting(
    { kind: "words" },
    "none",
    "values that the text field (`message`) and form fields begin with, by name; visitors can change them",
  ),
  rating: setting(
    choice("off", "two", "five"),
    "off",
    "asks once for a rating, when the chat is closed or idle: good or bad, or five steps",
  ),
  topics: setting({ kind: "list", max: 6, each: 120 }, "none", "topics to begin with: `label` or `label=route`"),
  askPerson: setting(text(64), "none", "route of the button `Talk to a person`"),
  replyMinutes: setting(number(0, 43_200), "not shown", "minutes until an answer usually comes; the header shows them"),
  hours: setting({ kind: "hours" }, "always open", "opening hours; outside of them a form takes a message"),
  strings: setting({ kind: "words" }, "none", "own words by key (`widget/src/locales`)"),
  phone: setting({ kind: "phone" }, "none", "any of these settings, where they differ on phones"),
};

/** A CSS selector by id or by one class. */
const SELECTOR = /^[#.][\w-]+$/;
/** An SVG path: only drawing commands and numbers. */
const PATH = /^[MmLlHhVvCcSsQqTtAaZzeE\d\s.,+-]{1,2000}$/;

const isText = (value: unknown, max: number): value is string => typeof value === "string" && value.length <= max;
const succeeds = (run: () => unknown): boolean => {
  try {
    run();
    return true;
  } catch {
    return false;
  }
};

function problemInList(value: unknown, max: number, each: number): string | undefined {
  if (!Array.isArray(value)) return "must be a list of texts";
  if (value.length > max) return `may have ${max} entries at most`;
  return value.every((entry) => isText(entry, each) && entry.trim() !== "")
    ? undefined
    : `must be texts of 1 to ${each} characters`;
}

function problemInHours(value: unknown): string | undefined {
  if (!isFields(value)) return 'must be like {"timeZone": "Europe/Oslo", "mon": "9:00-17:00"}';
  for (const [name, entry] of Object.entries(value)) {
    if (name === "timeZone") {
      const zone = String(entry);
      if (!succeeds(() => new Intl.DateTimeFormat("en", { timeZone: zone })))
        return `timeZone is "${zone}": it must be a time zone like Europe/Oslo`;
    } else if (!DAYS.some((day) => day === name)) return `has "${name}": days are ${DAYS.join(", ")}`;
    else if (!isText(entry, 100) || spansOf(entry) === undefined)
      return `${name} must be times like "9:00-12:00, 13:00-17:30", or "22:00-2:00" over midnight`;
  }
  return value.timeZone === undefined && Object.keys(value).length > 0
    ? "needs a timeZone like Europe/Oslo"
    : undefined;
}

/** Most fields of one form, and most custom fields of a site. */
const FIELDS_MAX = 8;
/** The name of a field in `prechat` and `capture`. */
const FIELD = /^[a-z]\w{0,31}\??$/i;
/** The types that a custom field may have. */
export const CUSTOM_FIELD_TYPES = [
  "text",
  "long",
  "number",
  "date",
  "url",
  "choice",
  "checkbox",
] as const satisfies readonly CustomFieldType[];

function problemInCustomFields(value: unknown): string | undefined {
  if (!isFields(value)) return 'must be like {"order": {"label": "Order number"}}';
  if (Object.keys(value).length > FIELDS_MAX) return `may have ${FIELDS_MAX} fields at most`;
  for (const [name, field] of Object.entries(value)) {
    if (!/^[a-z]\w{0,31}$/i.test(name) || ["name", "email", "phone", "text"].includes(name))
      return `has "${name}": names are 1 to 32 letters, digits or _, and not name, email, phone or text`;
    if (!isFields(field) || !isText(field.label, 80) || field.label.trim() === "")
      return `${name} needs a label of 1 to 80 characters`;
    const { type = "text", choices } = field;
    if (!CUSTOM_FIELD_TYPES.some((one) => one === type))
      return `${name} has the type "${type}": types are ${CUSTOM_FIELD_TYPES.join(", ")}`;
    const wrong = type === "choice" ? problemInList(choices, 20, 80) : undefined;
    if (wrong !== undefined) return `${name} choices ${wrong}`;
    if (type === "choice" && (choices as string[]).length === 0) return `${name} needs choices`;
  }
  return undefined;
}

function problemInPhone(value: unknown): string | undefined {
  if (!isFields(value)) return 'must be like {"offsetX": 12}';
  for (const [name, entry] of Object.entries(value)) {
    if (name === "phone") return "cannot contain phone";
    const wrong = settingProblemOf(name, entry);
    if (wrong !== undefined) return `${name} ${wrong}`;
  }
  return undefined;
}

function problemInWords(value: unknown): string | undefined {
  return isFields(value) && Object.values(value).every((entry) => isText(entry, 500))
    ? undefined
    : "must be texts of at most 500 characters by key";
}

/**
 * The problem with a value, as words that follow the setting's name; undefined if the value is valid.
 * @param value as JSON has it: numbers are numbers, lists are lists
 */
export function settingProblemOf(name: string, value: unknown): string | undefined {
  const rule = Object.hasOwn(SETTINGS, name) ? SETTINGS[name as SiteSetting] : undefined;
  const problemUnless = (valid: boolean, words: string): string | undefined => (valid ? undefined : words);
  switch (rule?.kind) {
    case undefined:
      return "is no setting";
    case "text":
      return problemUnless(isText(value, rule.max), `must be a text of at most ${rule.max} characters`);
    case "choice":
      return problemUnless(
        rule.of.includes(value as string) || (rule.selector === true && isText(value, 100) && SELECTOR.test(value)),
        `must be one of ${rule.of.join(", ")}${rule.selector ? ", or a selector like #id or .class" : ""}`,
      );
    case "number":
      return problemUnless(
        Number.isInteger(value) && Number(value) >= rule.min && Number(value) <= rule.max,
        `must be a whole number from ${rule.min} to ${rule.max}`,
      );
    case "switch":
      return problemUnless(typeof value === "boolean", "must be true or false");
    case "colour":
      return problemUnless(/^#([0-9a-f]{3}){1,2}$/i.test(String(value)), "must be a colour like #4f46e5");
    case "address":
      return problemUnless(value === "" || isAddress(value), "must be a whole address, with https:// in front");
    case "language":
      return problemUnless(
        value === "auto" || (isText(value, 35) && succeeds(() => new Intl.Locale(value.replaceAll("_", "-")))),
        "must be auto or a language like de or pt-BR",
      );
    case "path":
      return problemUnless(value === "" || PATH.test(String(value)), 'must be an SVG path like "M4 4h16v12H4z"');
    case "condition":
      return problemUnless(
        value === "" || (isText(value, 100) && conditionOf(value) !== undefined),
        "must be a condition like cart>=50, plan=free or returning",
      );
    case "fields":
      return (
        problemInList(value, FIELDS_MAX, 33) ??
        problemUnless(
          (value as string[]).every((field) => FIELD.test(field.trim())),
          "may list only name, email, phone and custom fields; a ? after a field makes it optional",
        )
      );
    case "customFields":
      return problemInCustomFields(value);
    case "list":
      return problemInList(value, rule.max, rule.each);
    case "hours":
      return problemInHours(value);
    case "words":
      return problemInWords(value);
    case "phone":
      return problemInPhone(value);
  }
}

const isAddress = (value: unknown): boolean =>
  isText(value, 2_000) && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

/**
 * Converts the text of an attribute to the type of its setting. Text that does not fit stays text. An empty attribute
 * switches on, lists are separated by `|`, objects are JSON.
 */
export function fromAttribute(name: string, given: string): unknown {
  const kind = Object.hasOwn(SETTINGS, name) ? SETTINGS[name as SiteSetting].kind : undefined;
  if (kind === "number" && given.trim() !== "" && Number.isFinite(Number(given))) return Number(given);
  if (kind === "switch" && ["", "true", "false"].includes(given)) return given !== "false";
  if (kind === "list" || kind === "fields") return given === "" ? [] : given.split("|");
  if (kind === "hours" || kind === "words" || kind === "phone" || kind === "customFields")
    try {
      return JSON.parse(given);
    } catch {
      return given;
    }
  return given;
}
