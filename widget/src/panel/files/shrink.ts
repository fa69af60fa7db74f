/** Makes large pictures smaller before they are sent. A phone's photo is ten times larger than a chat can show. */

import { element } from "../../loader/dom.ts";

/** Longest side of a picture that is sent, in pixels. */
const SIDE_MAX = 2_048;
/** Pictures up to this many bytes stay as they are when their sides fit. */
const SMALL_BYTES = 1_000_000;
/** Quality of JPEG and WebP, 0 to 1. */
const QUALITY = 0.85;

/** Types of pictures that can be encoded again, each with its new type. Not GIF, because it may be animated. */
const FORMATS: Readonly<Record<string, string>> = {
  "image/jpeg": "image/jpeg",
  "image/png": "image/png",
  "image/webp": "image/webp",
  // The relay accepts neither of these types; Apple's browsers can read them.
  "image/heic": "image/jpeg",
  "image/heif": "image/jpeg",
};

/** Number of first bytes of a PNG or WebP that are searched for the mark of an animation. */
const SEARCHED_BYTES = 64 * 1024;

/** Whether a PNG or WebP is animated: it then has an `acTL` or `ANIM` chunk (PNG 3, 11.3.6; WebP container specification). */
async function isAnimated(file: Blob): Promise<boolean> {
  const head = new TextDecoder("latin1").decode(await file.slice(0, SEARCHED_BYTES).arrayBuffer());
  return /^.PNG.*?acTL|^RIFF.{4}WEBP.*?ANIM/s.test(head);
}

/** The size in pixels with a longest side of at most `SIDE_MAX`. Never larger than the original. */
export function fittedSize(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, SIDE_MAX / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/**
 * Draws a picture in its new size, with the orientation of its metadata applied and the metadata removed.
 * @throws when it cannot be read
 */
async function redraw(file: File, type: string): Promise<Blob | null> {
  const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
  try {
    const { width, height } = fittedSize(picture.width, picture.height);
    if (width === picture.width && file.size <= SMALL_BYTES && type === file.type) return null;
    const canvas = element("canvas");
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
 * A smaller version of the picture. Returns the file itself if it is not a picture, is animated, is small enough, cannot be
 * read by this browser, or would not become smaller.
 */
export async function smallerPicture(file: File): Promise<File> {
  const type = FORMATS[file.type];
  if (type === undefined) return file;
  try {
    if (type !== "image/jpeg" && (await isAnimated(file))) return file;
    const blob = await redraw(file, type);
    const isBetter = blob?.type === type && (blob.size < file.size || type !== file.type);
    if (!blob || !isBetter) return file;
    const name = type === file.type ? file.name : file.name.replace(/\.\w+$/, ".jpg");
    return new File([blob], name, { type });
  } catch {
    return file;
  }
}
