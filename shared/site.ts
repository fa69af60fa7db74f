/** Optional settings of a site's chat. `settings.ts` lists the allowed values. */
export type Look = {
  /** Distance from the edges of the window, in pixels. */
  offsetX: number;
  offsetY: number;
  zIndex: number;
  /** Corners of the panel, in pixels. */
  radius: number;
  /**
   * `icon`: a round button; `text`: a button with its name on it; `none`: the page opens the chat by itself; `#id` or `.class`:
   * elements that open it.
   */
  launcher: "icon" | "text" | "none" | `#${string}` | `.${string}`;
  /** Name of the launcher; empty: the word for chat in the visitor's language. */
  label: string;
  /** The launcher's drawing, as an SVG path on 24 by 24 pixels; empty: a speech bubble. */
  icon: string;
  /** Picture in the header; empty: the first letter of the title. */
  avatar: string;
  /** People who answer, whose faces the header shows: `name=address of a picture`, or a name. */
  team: readonly string[];
  /** `accent` fills the header with the accent colour. */
  header: "quiet" | "accent";
  /** A line in a small bubble beside the launcher; empty: none. */
  teaser: string;
  /** Seconds until the teaser. */
  teaserAfter: number;
  /** Shows the teaser when the page is scrolled this far, in per cent; 0: not. */
  teaserScroll: number;
  /** Shows the teaser when the pointer leaves the page at its top. */
  teaserExit: boolean;
  /** Paths of the pages with the teaser; empty: all. */
  teaserPages: readonly string[];
  /** Condition for the teaser on a value that the page passes: `cart>50`, `plan=free`, `returning`; empty: none. */
  teaserWhen: string;
  /** Nothing is stored or sent before `consent`. */
  requireConsent: boolean;
  sound: boolean;
  /** Whether a reply that comes while the chat is closed shows its first lines beside the launcher. */
  replyPreview: boolean;
  /** Whether replies are drawn as Markdown, with copy buttons. Otherwise as text in which addresses are links. */
  markdown: boolean;
  /** Whether answers, author and cards in replies (`relay/docs/guides/replies.md`) are drawn as such. Otherwise as text. */
  replyConventions: boolean;
  /** Whether visitors may send files, where the relay accepts any. */
  attachments: boolean;
  /** Whether visitors who have waited long may leave their email address. */
  emailOffer: boolean;
  /** Whether visitors may record voice messages, where the relay accepts audio. */
  voice: boolean;
  /** Whether phones offer their camera beside the file button. */
  camera: boolean;
  /** Whether large pictures are made smaller in the browser before they are sent. */
  shrinkPictures: boolean;
  /** Whether pictures open large over the page, and audio and video play in the chat. Otherwise they open in a new tab. */
  mediaViewer: boolean;
  /** Whether the text field offers emoji to visitors with a mouse. */
  emojiPicker: boolean;
  /** Whether the chat opens with help articles, suggestions and a button to the conversation. */
  startScreen: boolean;
  /** Address of the help articles (JSON). Empty: the articles that the relay keeps for the site. */
  articles: string;
  /** Custom fields of the owner, by name. `prechat` and `capture` may ask for them. */
  customFields: { readonly [name: string]: CustomField };
  /**
   * Fields of the form before the first message, and of the card after it: `name`, `email`, `phone`, or the name of a custom
   * field. A `?` at the end makes one optional. None: no form.
   */
  prechat: readonly string[];
  capture: readonly string[];
  /** Initial values of the text field (`message`) and of form fields, by name. The visitor can change them. */
  prefill: { readonly [field: string]: string };
  /** How visitors may rate a conversation: two answers, five steps, or not at all. */
  rating: "off" | "two" | "five";
  /** Topics to choose from in the empty thread: a label, or `label=name` with the name of a route. */
  topics: readonly string[];
  /** Name of the route for visitors who ask for a person instead of the AI; empty: none may. */
  askPerson: string;
  /** Minutes within which an answer usually comes; 0: the chat does not state it. */
  replyMinutes: number;
  /** Business hours: `{ timeZone: "Europe/Oslo", mon: "9:00-17:00", … }`. Empty: always open. */
  hours: { readonly timeZone?: string; readonly [day: string]: string | undefined };
  /** The site's own texts, by key. They replace the widget's. */
  strings: { readonly [key: string]: string };
  /** What differs on phones: any of the settings. */
  phone: { readonly [setting: string]: unknown };
};

/** How a custom field is filled in. `long`: several lines. */
export type CustomFieldType = "text" | "long" | "number" | "date" | "url" | "choice" | "checkbox";

/** A custom field of the owner. The visitor's input goes into the conversation, as a line with the label. */
export type CustomField = {
  /** The field's name as visitors read it. */
  label: string;
  /** Absent: `text`. */
  type?: CustomFieldType;
  /** What a `choice` offers. */
  choices?: readonly string[];
};

/** The settings that the relay writes into the tag's script. They are public, so they contain no secrets. */
export type PublicSite = Partial<Look> & {
  /** Key of the site, as in `data-site`. */
  id: string;
  title: string;
  greeting: string;
  /** Questions offered while the thread is empty. */
  suggestions: string[];
  /** Any CSS hex colour; the widget corrects its contrast. */
  accent: string;
  theme: "auto" | "light" | "dark";
  position: "right" | "left";
  /** BCP 47 tag, or `auto`: the page's, then the browser's. */
  locale: string;
  /** Who answers. Decides the label that discloses AI (AI Act, Art. 50). */
  responder: "ai" | "human" | "mixed";
  privacyUrl: string;
  /** Largest upload per kind of file, in bytes; 0: not accepted. `av`: audio and video. Absent: no uploads. */
  uploads?: { image: number; av: number; document: number };
  /** Whether the relay can mail the conversation, and replies to those who are away. */
  mail?: boolean;
};

/** Defaults that the panel knows. The tag's script contains such a setting only if the site's value differs. */
export const PANEL_DEFAULTS = {
  title: "",
  greeting: "",
  suggestions: [],
  theme: "auto",
  position: "right",
  locale: "auto",
  responder: "ai",
  privacyUrl: "",
} satisfies Partial<PublicSite>;

/** The settings of a site that has set none. */
export const DEFAULT_SITE: PublicSite = { id: "default", accent: "#4f46e5", ...PANEL_DEFAULTS };

/** The default limit of an upload of each kind, in bytes. */
export const UPLOAD_MAX = 5 * 1024 * 1024;

/** A site as the tag's script contains it. `uploads` has only the limits that differ from the default. */
export type ServedSite = Omit<Partial<PublicSite>, "uploads"> &
  Pick<PublicSite, "id" | "accent"> & { uploads?: Partial<PublicSite["uploads"]> };

/** The site without the values that equal the panel's defaults. */
export function servedSite(site: PublicSite): ServedSite {
  const defaults = Object.entries(PANEL_DEFAULTS).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const known = new Map<string, string>(defaults);
  const chosen = Object.entries(site).filter(([name, value]) => known.get(name) !== JSON.stringify(value));
  const served = Object.fromEntries(chosen) as ServedSite;
  const limits = Object.entries(site.uploads ?? {}).filter(([, bytes]) => bytes !== UPLOAD_MAX);
  return site.uploads ? { ...served, uploads: Object.fromEntries(limits) } : served;
}
