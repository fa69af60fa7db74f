/** The chat's settings and their sources, in rising order: the site, `data-*`, the page's object, `update`. */

// Imported by path: the npm package contains the types of this file, but no package `@porchlight/shared`.
import { type Look, PANEL_DEFAULTS, type PublicSite, type ServedSite, UPLOAD_MAX } from "../../../shared/site.ts";

type BaseSettings = Omit<PublicSite, "id" | keyof Look> &
  Omit<Look, "phone"> & {
    /** Origin of the relay, for pages that import the widget as a module, because a module cannot know it. */
    relay?: string;
    /** Key of the site. */
    site: string;
    /** `page`: fills the window, has no launcher and cannot be closed. */
    mode: "widget" | "page";
    /** Waits for the page's first command before anything is shown. */
    manual: boolean;
    /** A name for the page's context, such as a campaign. The site's routes can use it. */
    campaign: string;
    /**
     * Values of the page that `teaserWhen` can test, such as `{ cart: 59, returning: true }`. They stay in the browser.
     */
    values: { readonly [name: string]: string | number | boolean };
  };

/** `shared/settings.ts` lists the values and the effect of each setting. */
export type Settings = BaseSettings & {
  /** Settings for phones only. */
  phone: Partial<BaseSettings>;
};

/** Settings that a page passes: any of them. */
export type Options = Partial<Settings>;

/** Unchecked settings: unset ones are absent, and those from attributes are text. */
export type RawSettings = { readonly [Name in keyof Settings]?: Settings[Name] | string };

/**
 * Merges layers of settings; later layers win. An empty attribute switches its setting on, `false` switches it off. A value
 * that is undefined or null keeps the value of the earlier layer.
 * @param phone whether the settings for phones apply
 */
export function mergeLayers(phone: boolean, ...layers: (object | null | undefined)[]): RawSettings {
  // Own properties only, in source and result: other scripts may have added properties to `Object.prototype`.
  const all = { __proto__: null } as unknown as Record<string, unknown>;
  const merge = (layer: object | null | undefined): void => {
    for (const [name, value] of Object.entries(layer ?? {})) all[name] = parsed(value) ?? all[name];
  };
  layers.map(merge);
  if (phone) merge(all.phone as object);
  return all as RawSettings;
}

/** Parses an attribute that contains an object or `false`; undefined for invalid JSON. Returns other values unchanged. */
function parsed(value: unknown): unknown {
  try {
    // Checked before parsing, because errors are slow, and this runs on pages that never chat.
    return /^{|^false$/.test(value as string) ? JSON.parse(value as string) : value;
  } catch {
    return undefined;
  }
}

/** The settings that only the loader reads, unchecked. */
type LoaderOnly =
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
  | "teaserWhen"
  | "values"
  | "manual"
  | "phone";
/** The settings that only some parts of the panel read: see `rare-options.ts`. */
export type RareName =
  | "team"
  | "voice"
  | "camera"
  | "shrinkPictures"
  | "mediaViewer"
  | "startScreen"
  | "articles"
  | "customFields"
  | "replyMinutes"
  | "prefill";
/** The settings that the panel reads. */
export type PanelSettings = Omit<Settings, LoaderOnly | RareName>;

const DEFAULTS: Omit<PanelSettings, "site" | "relay" | "uploads" | "mail" | "accent" | "locale"> = {
  ...PANEL_DEFAULTS,
  avatar: "",
  header: "quiet",
  mode: "widget",
  requireConsent: false,
  sound: true,
  replyPreview: true,
  markdown: true,
  replyConventions: true,
  attachments: true,
  emojiPicker: true,
  emailOffer: false,
  campaign: "",
  prechat: [],
  capture: [],
  rating: "off",
  topics: [],
  askPerson: "",
  hours: {},
  strings: {},
};

/**
 * Converts unchecked settings: text becomes the type of the default value (a boolean, a list separated by `|`). An invalid value
 * becomes the default, so a typing error never breaks a page.
 */
export function checkedSettings(raw: RawSettings, { id, ...site }: ServedSite): PanelSettings {
  const result: Record<string, unknown> = { ...DEFAULTS, ...site, site: id };
  for (const name of Object.keys(result)) result[name] = convertedLike(result[name], raw[name as keyof RawSettings]);
  const { uploads } = site;
  result.uploads = uploads && { image: UPLOAD_MAX, av: UPLOAD_MAX, document: UPLOAD_MAX, ...uploads };
  result.attachments &&= uploads !== undefined;
  result.strings = Object.fromEntries(Object.entries(result.strings as object).filter(([, word]) => isWord(word)));
  return result as PanelSettings;
}

/** Whether the value is a text that is not blank. */
const isWord = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

/** Converts a value to the type of its default. Returns the default if that is not possible, or if the value is missing. */
function convertedLike(fallback: unknown, value: unknown): unknown {
  if (value === undefined || value === null) return fallback;
  if (typeof fallback === "boolean") return value === "" || `${value}` === "true";
  // A text that was parsed as another type becomes text again if the setting is a text.
  const text = typeof value === "object" ? undefined : `${value || ""}`;
  if (Array.isArray(fallback)) return (Array.isArray(value) ? value : (text?.split("|") ?? fallback)).filter(isWord);
  if (typeof fallback === "string") return text ?? fallback;
  const read = parsed(value);
  return typeof read === typeof fallback ? read : fallback;
}
