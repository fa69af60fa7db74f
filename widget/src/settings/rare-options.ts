/**
 * The settings that only the late parts of the panel read, whose code is fetched at their first use. Several of these parts
 * contain this file, so it imports nothing of the panel.
 */

import type { RareName, RawSettings, Settings } from "./options.ts";

export type RareSettings = Pick<Settings, RareName>;

const DEFAULTS: RareSettings = {
  team: [],
  voice: false,
  camera: false,
  shrinkPictures: true,
  mediaViewer: true,
  startScreen: false,
  articles: "",
  customFields: {},
  replyMinutes: 0,
  prefill: {},
};

/** Converts a value to the type of its default, also from an attribute's text; the default if that is not possible. */
function convertedLike(fallback: unknown, value: unknown): unknown {
  if (value === undefined || value === null) return fallback;
  if (typeof fallback === "boolean") return value === "" || `${value}` === "true";
  if (typeof fallback === "number") return Number(value) >= 0 ? Number(value) : fallback;
  if (Array.isArray(fallback))
    return typeof value === "string" ? value.split("|") : Array.isArray(value) ? value : fallback;
  if (typeof fallback === "string") return typeof value === "string" ? value : fallback;
  try {
    const object: unknown = typeof value === "string" ? JSON.parse(value) : value;
    return typeof object === "object" && object !== null ? object : fallback;
  } catch {
    return fallback;
  }
}

type Source = {
  shell: { settings(): RawSettings };
  /** Changes whenever a setting does. */
  settings: { readonly value: unknown };
};

/** The settings, checked. An effect that calls this runs again when a setting changes. */
export function rareSettings({ shell, settings }: Source): RareSettings {
  settings.value;
  const raw = shell.settings();
  const names = Object.keys(DEFAULTS) as (keyof RareSettings)[];
  return Object.fromEntries(names.map((name) => [name, convertedLike(DEFAULTS[name], raw[name])])) as RareSettings;
}
