/** The types that visitors may upload, and how each is named and shown (RELIABILITY 3e; R-241). */

/** The groups that share a size limit. `av`: audio and video. */
export type FileGroup = "image" | "av" | "document";

/** A type of file that visitors may upload. */
export type FileType = {
  /** The registered MIME type: it is stored, served and sent to the service. */
  type: string;
  group: FileGroup;
  /** File extensions; names that the relay makes get the first. */
  endings: readonly [string, ...string[]];
  /** Browsers show it instead of downloading it: only for formats that cannot contain scripts. */
  inline: boolean;
};

const known = (type: string, group: FileGroup, inline: boolean, ...endings: [string, ...string[]]): FileType => ({
  type,
  group,
  endings,
  inline,
});

const TYPES = {
  png: known("image/png", "image", true, "png"),
  jpeg: known("image/jpeg", "image", true, "jpg", "jpeg", "jfif"),
  gif: known("image/gif", "image", true, "gif"),
  webp: known("image/webp", "image", true, "webp"),
  mp4: known("video/mp4", "av", true, "mp4", "m4v"),
  webm: known("video/webm", "av", true, "webm"),
  weba: known("audio/webm", "av", true, "weba", "webm"),
  mp3: known("audio/mpeg", "av", true, "mp3"),
  m4a: known("audio/mp4", "av", true, "m4a"),
  ogg: known("audio/ogg", "av", true, "ogg", "oga", "opus"),
  wav: known("audio/wav", "av", true, "wav"),
  pdf: known("application/pdf", "document", false, "pdf"),
  text: known("text/plain", "document", false, "txt"),
} as const;

/** Plain text. It cannot be detected from its first bytes. */
export const TEXT_TYPE: FileType = TYPES.text;

/** Types by the MIME type that detection reports, without parameters. Others are refused. */
const SNIFFED = new Map<string, FileType>([
  ["image/png", TYPES.png],
  ["image/jpeg", TYPES.jpeg],
  ["image/gif", TYPES.gif],
  ["image/webp", TYPES.webp],
  ["video/mp4", TYPES.mp4],
  ["video/webm", TYPES.webm],
  ["audio/webm", TYPES.weba],
  ["audio/mpeg", TYPES.mp3],
  ["audio/mp4", TYPES.m4a],
  ["audio/x-m4a", TYPES.m4a],
  ["audio/ogg", TYPES.ogg],
  ["audio/wav", TYPES.wav],
  ["application/pdf", TYPES.pdf],
]);

/** The allowed type for a detected MIME type; undefined when such files are refused. */
export const allowedType = (sniffed: string): FileType | undefined => SNIFFED.get(sniffed.split(";")[0]?.trim() ?? "");

const byType = new Map<string, FileType>(Object.values(TYPES).map((one) => [one.type, one]));

/** The allowed type for a stored MIME type. @throws Error for a type that is never stored */
export function typeOf(type: string): FileType {
  const found = byType.get(type);
  if (found === undefined) throw new Error(`No file of type ${type} is ever stored`);
  return found;
}

/** The text of a message: `[image] name` for a file without text, because the service refuses an empty body. */
export function bodyOf({ text, type, name }: { text: string; type: string | null; name: string | null }): string {
  if (text !== "" || type === null) return text;
  const [kind = ""] = type.split("/");
  return `[${["image", "audio", "video"].includes(kind) && typeOf(type).inline ? kind : "file"}] ${name}`;
}
