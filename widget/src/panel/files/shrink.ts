/** Makes large pictures smaller before they are sent: a phone's photo is ten times what anybody looks at in a chat. */

/** Longest side of a picture that is sent, in pixels. */
const SIDE_MAX = 2_048;
/** Pictures up to this many bytes stay as they are when their sides fit. */
const SMALL_BYTES = 1_000_000;
/** Quality of JPEG and WebP, 0 to 1. */
const QUALITY = 0.85;

/** Pictures that may be written anew, and as what. GIF is not among them: it may move. */
const FORMATS: Readonly<Record<string, string>> = {
  "image/jpeg": "image/jpeg",
  "image/png": "image/png",
  "image/webp": "image/webp",
  // The relay takes neither; browsers of Apple's read them.
  "image/heic": "image/jpeg",
  "image/heif": "image/jpeg",
};

/** How many bytes of a PNG or WebP may stand before what says that it moves. */
const HEAD = 64 * 1024;

/** Whether a PNG or WebP moves: then it has an `acTL` or `ANIM` chunk (PNG 3, 11.3.6; WebP container specification). */
async function moves(file: Blob): Promise<boolean> {
  const head = new TextDecoder("latin1").decode(await file.slice(0, HEAD).arrayBuffer());
  return /^.PNG.*?acTL|^RIFF.{4}WEBP.*?ANIM/s.test(head);
}

/** The size with the longest side at most `SIDE_MAX`, in pixels. Never larger than it was. */
export function fitted(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, SIDE_MAX / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Draws a picture in its new size, upright as its metadata say, and without them. @throws when it cannot be read */
async function redrawn(file: File, type: string): Promise<Blob | null> {
  const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
  try {
    const { width, height } = fitted(picture.width, picture.height);
    if (width === picture.width && file.size <= SMALL_BYTES && type === file.type) return null;
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width, height });
    const context = canvas.getContext("2d");
    if (!context) return null;
    context.imageSmoothingQuality = "high";
    context.drawImage(picture, 0, 0, width, height);
    return await new Promise((resolve) => canvas.toBlob(resolve, type, QUALITY));
  } finally {
    picture.close();
  }
}

/** Whether a file may be a picture that can be made smaller. */
export const canShrink = ({ type }: File): boolean => Object.hasOwn(FORMATS, type);

/**
 * A smaller picture of the same content; the file itself when it is no picture, moves, is small enough, cannot be read here,
 * or would not become smaller.
 */
export async function shrunk(file: File): Promise<File> {
  const type = FORMATS[file.type];
  if (type === undefined) return file;
  try {
    if (type !== "image/jpeg" && (await moves(file))) return file;
    const blob = await redrawn(file, type);
    const isBetter = blob?.type === type && (blob.size < file.size || type !== file.type);
    if (!blob || !isBetter) return file;
    const name = type === file.type ? file.name : file.name.replace(/\.\w+$/, ".jpg");
    return new File([blob], name, { type });
  } catch {
    return file;
  }
}
