/** What a site may set, and where a setting comes from. In rising order: the site, `data-*`, the page's object, `update`. */

import type { PublicSite } from "@porchlight/shared/site";

export type Settings = Omit<PublicSite, "id"> & {
  /** Origin of the relay, for pages that fetch the script as a module, where it does not know its own address. */
  relay?: string;
  /** Key of the site. */
  site: string;
  /** Distance from the edges of the window, in pixels. */
  offsetX: number;
  offsetY: number;
  zIndex: number;
  /** Corners of the panel, in pixels. */
  radius: number;
  /** `icon`: a round button; `text`: a button with its name on it; `none`: the page opens the chat by itself. */
  launcher: "icon" | "text" | "none";
  /** Name of the launcher; empty: the word for chat in the visitor's language. */
  label: string;
  /** Picture in the header; empty: the first letter of the title. */
  avatar: string;
  /** `accent` fills the header with the accent colour. */
  header: "quiet" | "accent";
  /** A line in a small bubble beside the launcher; empty: none. */
  teaser: string;
  /** `page`: fills the window, has no launcher and cannot be closed. */
  mode: "widget" | "page";
  /** Waits for the page's first command before anything is shown. */
  manual: boolean;
  /** Nothing is stored or sent before `consent`. */
  requireConsent: boolean;
  sound: boolean;
  /** Whether visitors may send files, where the relay takes any. */
  attachments: boolean;
  /** A name for where the page stands, such as a campaign; the site's routes may look at it. */
  campaign: string;
  /**
   * Fields of the form before the first message, and of the card after it: `name`, `email`, `phone`; with a `?` at the end
   * one may stay empty. None: no form.
   */
  prechat: readonly string[];
  capture: readonly string[];
  /** When somebody is there: `{ timeZone: "Europe/Oslo", mon: "9:00-17:00", … }`. Empty: always. */
  hours: { readonly timeZone?: string; readonly [day: string]: string | undefined };
  /** What differs on phones: any of the settings. */
  phone: Options;
  /** Words of the site instead of ours, by key. */
  strings: { readonly [key: string]: string };
};

/** What a page may hand over: any of the settings. */
export type Options = Partial<Settings>;

/** As they came: what nobody set is absent, and what came from an attribute is text. */
export type RawSettings = { readonly [Name in keyof Settings]?: Settings[Name] | string };

/**
 * Lays the layers over each other. An empty attribute switches on what it names, `false` switches off.
 * @param phone whether what differs on phones counts
 */
export function layered(phone: boolean, ...layers: (object | null | undefined)[]): RawSettings {
  const all: Record<string, unknown> = Object.assign({}, ...layers);
  if (phone) Object.assign(all, all.phone);
  for (const name in all) if (all[name] === "false") all[name] = false;
  return all as RawSettings;
}

/** What only the loader reads, as it came. */
type Outside = "offsetX" | "offsetY" | "zIndex" | "radius" | "launcher" | "label" | "teaser" | "manual";
/** What the panel reads. */
export type PanelSettings = Omit<Settings, Outside>;

const DEFAULTS: Omit<PanelSettings, keyof PublicSite | "site"> = {
  avatar: "",
  header: "quiet",
  mode: "widget",
  requireConsent: false,
  sound: true,
  attachments: true,
  campaign: "",
  prechat: [],
  capture: [],
  hours: {},
  phone: {},
  strings: {},
};

/**
 * Settings that code can rely on: text becomes what the default is (a truth value, a list separated by `|`), and
 * what does not fit is the default, so a typing error never breaks a page.
 */
export function settled(raw: RawSettings, { id, ...site }: PublicSite): PanelSettings {
  const result: Record<string, unknown> = { ...DEFAULTS, ...site, site: id };
  for (const name in result) result[name] = like(result[name], raw[name as keyof RawSettings]);
  result.attachments &&= site.uploads !== undefined;
  return result as PanelSettings;
}

function like(kept: unknown, value: unknown): unknown {
  if (typeof kept === "boolean") return value === undefined ? kept : value === "" || value === true || value === "true";
  if (Array.isArray(kept)) return typeof value === "string" ? value.split("|") : Array.isArray(value) ? value : kept;
  return value !== null && typeof value === typeof kept ? value : kept;
}
