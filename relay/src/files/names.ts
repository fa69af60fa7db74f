import { cut } from "@porchlight/shared/text";
import type { FileType } from "./types.ts";

/** Longest name kept, in UTF-16 units. */
const NAME_MAX = 120;
/** Controls, characters that turn the direction of text or are not seen, and lone surrogates' stand-in. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\ufffd]/gu;
/** What file systems, shells and markup take for more than a letter. */
const SPECIAL = /[<>:"|?*\\/`$&;{}%]/g;
/** Names that stand for devices on Windows, whatever their ending. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * The name to show and to save a file under: the last part of the path, without what could mislead a person or a program,
 * and always with an ending of the file's real type. Never a path to store at.
 * @param given the sender's name for it; anything may stand there
 */
export function displayName(given: string, { endings, group }: FileType): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const clean = last
    .normalize("NFC")
    .replace(HIDDEN, "")
    .replace(SPECIAL, "_")
    .replace(/^[.\-\s]+|[.\s]+$/g, "")
    .replace(DEVICES, "_$1");
  const dot = clean.lastIndexOf(".");
  const fits = dot > 0 && endings.includes(clean.slice(dot + 1).toLowerCase());
  const stem = fits ? clean.slice(0, dot) : clean;
  const ending = fits ? clean.slice(dot + 1) : endings[0];
  return `${cut(stem, NAME_MAX - ending.length - 1) || group}.${ending}`;
}

/** Escapes for the extended notation: what RFC 8187 section 3.2.1 does not allow as it is. */
const extended = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** `Content-Disposition` (RFC 6266) with the name twice: for old clients in ASCII, for all others in full (RFC 8187). */
export function disposition(kind: "inline" | "attachment", name: string): string {
  const plain = name.replace(/[^\w.\- ]/g, "_");
  return `${kind}; filename="${plain}"; filename*=UTF-8''${extended(name)}`;
}
