/** What a site may set, and where a setting comes from. In rising order: the site, `data-*`, the page's object, `update`. */

// By its path: the npm package brings the types of this file, and has no package `@porchlight/shared` to look in.
import { type Look, PANEL_DEFAULTS, type PublicSite, type ServedSite, UPLOAD_MAX } from "../../../shared/site.ts";

type Own = Omit<PublicSite, "id" | keyof Look> &
  Omit<Look, "phone"> & {
    /** Origin of the relay, for pages that fetch the script as a module, where it does not know its own address. */
    relay?: string;
    /** Key of the site. */
    site: string;
    /** `page`: fills the window, has no launcher and cannot be closed. */
    mode: "widget" | "page";
    /** Waits for the page's first command before anything is shown. */
    manual: boolean;
    /** What forms and the text field hold at first, for the visitor to change: `message`, and fields by name. */
    prefill: { readonly [field: string]: string };
    /** A name for where the page stands, such as a campaign; the site's routes may look at it. */
    campaign: string;
  };

/** What each may be, and what it does: `shared/settings.ts`. */
export type Settings = Own & {
  /** What differs on phones. */
  phone: Partial<Own>;
};

/** What a page may hand over: any of the settings. */
export type Options = Partial<Settings>;

/** As they came: what nobody set is absent, and what came from an attribute is text. */
export type RawSettings = { readonly [Name in keyof Settings]?: Settings[Name] | string };

/**
 * Lays the layers over each other. An empty attribute switches on what it names, `false` switches off; what a layer leaves
 * undefined, or null, is as below it.
 * @param phone whether what differs on phones counts
 */
export function layered(phone: boolean, ...layers: (object | null | undefined)[]): RawSettings {
  // Own properties only, here and there: what another script added to `Object.prototype` is no setting.
  const all = { __proto__: null } as unknown as Record<string, unknown>;
  const lay = (layer: object | null | undefined): void => {
    for (const [name, value] of Object.entries(layer ?? {})) all[name] = parsed(value) ?? all[name];
  };
  layers.map(lay);
  if (phone) lay(all.phone as object);
  return all as RawSettings;
}

/** An attribute's object, or `false`, as what it says, nothing where it says none; anything else as it is. */
function parsed(value: unknown): unknown {
  try {
    // A look first: errors are slow, and this runs on pages that never chat.
    return /^{|^false$/.test(value as string) ? JSON.parse(value as string) : value;
  } catch {
    return undefined;
  }
}

/** What only the loader reads, as it came. */
type Outside =
  | "offsetX"
  | "offsetY"
  | "zIndex"
  | "radius"
  | "launcher"
  | "label"
  | "icon"
  | "teaser"
  | "teaserAfter"
  | "teaserScroll"
  | "teaserExit"
  | "teaserPages"
  | "manual"
  | "phone";
/** What only parts of the panel read: see `rare-options.ts`. */
type Rare = "team" | "voice" | "camera" | "shrinkPictures" | "startScreen" | "articles" | "customFields" | "prefill";
/** What the panel reads. */
export type PanelSettings = Omit<Settings, Outside | Rare>;

const DEFAULTS: Omit<PanelSettings, "site" | "relay" | "uploads" | "mail" | "accent" | "locale"> = {
  ...PANEL_DEFAULTS,
  avatar: "",
  header: "quiet",
  mode: "widget",
  requireConsent: false,
  sound: true,
  replyPreview: true,
  attachments: true,
  emailOffer: false,
  campaign: "",
  prechat: [],
  capture: [],
  rating: "off",
  topics: [],
  askPerson: "",
  replyMinutes: 0,
  hours: {},
  strings: {},
};

/**
 * Settings that code can rely on: text becomes what the default is (a truth value, a list separated by `|`), and
 * what does not fit is the default, so a typing error never breaks a page.
 */
export function settled(raw: RawSettings, { id, ...site }: ServedSite): PanelSettings {
  const result: Record<string, unknown> = { ...DEFAULTS, ...site, site: id };
  for (const name of Object.keys(result)) result[name] = like(result[name], raw[name as keyof RawSettings]);
  const { uploads } = site;
  result.uploads = uploads && { image: UPLOAD_MAX, av: UPLOAD_MAX, document: UPLOAD_MAX, ...uploads };
  result.attachments &&= uploads !== undefined;
  result.strings = Object.fromEntries(Object.entries(result.strings as object).filter(([, word]) => isWord(word)));
  return result as PanelSettings;
}

/** Text in which something can be read. */
const isWord = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

function like(kept: unknown, value: unknown): unknown {
  if (value === undefined || value === null) return kept;
  if (typeof kept === "number") return Number(value) || kept;
  if (typeof kept === "boolean") return value === "" || `${value}` === "true";
  // A text that reads as something else is a text where one belongs.
  const text = typeof value === "object" ? undefined : `${value || ""}`;
  if (Array.isArray(kept)) return (Array.isArray(value) ? value : (text?.split("|") ?? kept)).filter(isWord);
  if (typeof kept === "string") return text ?? kept;
  const read = parsed(value);
  return typeof read === typeof kept ? read : kept;
}
