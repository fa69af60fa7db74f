import { cut } from "@porchlight/shared/text";
import type { FileType } from "./types.ts";

/** Longest stored name, in UTF-16 code units. */
const NAME_MAX = 120;
/** Control characters, invisible ones, those that change the direction of text, and the replacement character. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\ufffd]/gu;
/** Characters with a meaning in file systems, shells or markup. */
const SPECIAL_CHARACTERS = /[<>:"|?*\\/`$&;{}%]/g;
/** Names of devices on Windows, with any file extension. */
const DEVICE_NAMES = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * The name under which a file is shown and downloaded: the last part of the path, without characters that could mislead a
 * person or a program, and always with the extension of its real type. It is never used as a path.
 * @param given the client's name for the file: any text
 */
export function displayName(given: string, { endings, group }: FileType): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const clean = last
    .normalize("NFC")
    .replace(HIDDEN, "")
    .replace(SPECIAL_CHARACTERS, "_")
    .replace(/^[.\-\s]+/, "");
  const named = withoutEnd(clean).replace(DEVICE_NAMES, "_$1");
  const dot = named.lastIndexOf(".");
  const fits = dot > 0 && endings.includes(named.slice(dot + 1).toLowerCase());
  const stem = fits ? named.slice(0, dot) : named;
  const ending = fits ? named.slice(dot + 1) : endings[0];
  return `${cut(stem, NAME_MAX - ending.length - 1) || group}.${ending}`;
}

/** Removes dots and white space at the end. A regular expression would backtrack at each dot of a long run (A32). */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[.\s]/.test(text[end - 1] ?? "")) end--;
  return text.slice(0, end);
}

/** Escapes the characters that RFC 8187 section 3.2.1 does not allow. */
const extended = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** `Content-Disposition` (RFC 6266) with the name twice: in ASCII for old clients, and in full for all others (RFC 8187). */
export function disposition(kind: "inline" | "attachment", name: string): string {
  const plain = name.replace(/[^\w.\- ]/g, "_");
  return `${kind}; filename="${plain}"; filename*=UTF-8''${extended(name)}`;
}
