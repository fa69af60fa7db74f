/**
 * Removes the metadata of pictures: place and time, camera, author, the preview of a cropped picture. None of it may reach the
 * service (BEHAVIOUR C4). Pixels and orientation stay unchanged.
 */
import { crc32 } from "node:zlib";
import { RelayError } from "../base/errors.ts";

/** The parts of a picture that are kept, and its orientation (Exif 2.32, tag 0x0112; 1: upright). */
type Kept = { parts: Buffer[]; orientation: number };

const UPRIGHT = 1;
const name = (bytes: Buffer, at: number, length = 4): string => bytes.toString("latin1", at, at + length);

/**
 * Most segments, chunks or blocks of a picture. An animation of five thousand images has this many. A picture that consists only
 * of tiny pieces would block the relay for two seconds (RELIABILITY A18).
 */
const PIECES_MAX = 10_000;

/** Counts the pieces of a picture. @returns a function to call for each; it throws RelayError `bad_image` above the limit */
function countPieces(): () => void {
  let count = 0;
  return () => {
    if (++count > PIECES_MAX) throw new RelayError("bad_image", "file");
  };
}

// ── Exif ────────────────────────────────────────────────────────────────────────────────────────────────────────

const EXIF = Buffer.from("Exif\0\0", "latin1");
const ORIENTATION = 0x0112;

/** The orientation in a TIFF header's first directory (TIFF 6.0 section 2). */
function orientationIn(payload: Buffer): number {
  const tiff = payload.subarray(payload.indexOf(EXIF) === 0 ? EXIF.length : 0);
  const little = name(tiff, 0, 2) === "II";
  const u16 = (at: number): number =>
    at + 2 > tiff.length ? 0 : little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  const u32 = (at: number): number => (little ? u16(at) + u16(at + 2) * 65_536 : u16(at) * 65_536 + u16(at + 2));
  const directory = u32(4);
  const [first, end] = [directory + 2, Math.min(tiff.length, directory + 2 + 12 * u16(directory))];
  for (let entry = first; entry < end; entry += 12) {
    const value = u16(entry) === ORIENTATION ? u16(entry + 8) : 0;
    if (value >= 1 && value <= 8) return value;
  }
  return UPRIGHT;
}

/** A TIFF header with a directory of one entry. */
function exifOf(orientation: number): Buffer {
  const entry = [ORIENTATION >> 8, ORIENTATION & 255, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0];
  return Buffer.from([0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, ...entry, 0, 0, 0, 0]);
}

// ── JPEG (ITU-T T.81 annex B) ───────────────────────────────────────────────────────────────────────────────────

const [SOS, EOI, APP0, APP1, APP2, APP14, APP15, COM] = [0xda, 0xd9, 0xe0, 0xe1, 0xe2, 0xee, 0xef, 0xfe];

/** Whether an application segment is kept: only those about colours are needed (JFIF, ICC profiles, Adobe's transform). */
function isNeeded(segment: Buffer): boolean {
  const marker = segment[1] ?? 0;
  if (marker === APP2) return name(segment, 4, 11) === "ICC_PROFILE";
  return marker === APP0 || marker === APP14 || !((marker >= APP1 && marker <= APP15) || marker === COM);
}

/**
 * The end of the coded pixels that begin at `from`: the first marker that is neither stuffing nor a restart. Compares byte by
 * byte, because a hostile file has so many bytes 0xff that a search for each of them takes a hundred times as long.
 */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue;
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return bytes.length;
}

function jpeg(bytes: Buffer): Kept {
  const parts = [bytes.subarray(0, 2)];
  let orientation = UPRIGHT;
  const count = countPieces();
  let at = 2;
  while (bytes[at] === 0xff && at + 4 <= bytes.length) {
    count();
    const marker = bytes[at + 1] ?? 0;
    if (marker === EOI) break;
    if (marker === 0xff) {
      parts.push(bytes.subarray(at, ++at));
      continue;
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end < at + 4 || end > bytes.length) return { parts: [...parts, bytes.subarray(at)], orientation };
    const segment = bytes.subarray(at, end);
    if (marker === APP1 && segment.indexOf(EXIF) === 4) orientation = orientationIn(segment.subarray(4));
    if (isNeeded(segment)) parts.push(segment);
    at = end;
    if (marker !== SOS) continue;
    at = endOfScan(bytes, end);
    parts.push(bytes.subarray(end, at));
  }
  // Cameras write a second picture, which contains the place, after the end of the first.
  parts.push(bytes.subarray(at, bytes[at + 1] === EOI ? at + 2 : bytes.length));
  return { parts, orientation };
}

function jpegWith({ parts, orientation }: Kept): Buffer {
  const exif = Buffer.concat([EXIF, exifOf(orientation)]);
  const segment = Buffer.concat([Buffer.from([0xff, APP1, 0, exif.length + 2]), exif]);
  return Buffer.concat(parts.toSpliced(parts[1]?.[1] === APP0 ? 2 : 1, 0, segment));
}

// ── PNG (third edition, section 5) ──────────────────────────────────────────────────────────────────────────────

const PNG_NEEDED = new Set(
  ["gAMA", "cHRM", "sRGB", "iCCP", "cICP", "mDCV", "cLLI", "sBIT", "bKGD", "tRNS", "pHYs"].concat(
    "acTL",
    "fcTL",
    "fdAT",
  ),
);
/** Whether a chunk is needed to show the picture: its name begins with a capital letter. */
const isCritical = (chunk: string): boolean => chunk >= "A" && chunk < "[";

function png(bytes: Buffer): Kept {
  const parts = [bytes.subarray(0, 8)];
  let orientation = UPRIGHT;
  const count = countPieces();
  let at = 8;
  while (at + 12 <= bytes.length) {
    count();
    const chunk = name(bytes, at + 4);
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    if (chunk === "eXIf") orientation = orientationIn(bytes.subarray(at + 8, end - 4));
    if (isCritical(chunk) || PNG_NEEDED.has(chunk)) parts.push(bytes.subarray(at, end));
    at = end;
    if (chunk === "IEND") return { parts, orientation };
  }
  return { parts: [...parts, bytes.subarray(at)], orientation };
}

function pngWith({ parts, orientation }: Kept): Buffer {
  const chunk = Buffer.concat([Buffer.from("eXIf", "latin1"), exifOf(orientation)]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(chunk));
  // After the signature and the header, before the pixels.
  return Buffer.concat(parts.toSpliced(2, 0, Buffer.from([0, 0, 0, chunk.length - 4]), chunk, sum));
}

// ── WebP (RFC 9649) ─────────────────────────────────────────────────────────────────────────────────────────────

const WEBP_NEEDED = new Set(["VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP"]);
const [HAS_EXIF, HAS_XMP] = [0x08, 0x04];

function webp(bytes: Buffer): Kept {
  // Shorter than a header: not a picture.
  if (bytes.length < 12) return { parts: [bytes], orientation: UPRIGHT };
  const parts = [bytes.subarray(0, 12)];
  let orientation = UPRIGHT;
  const count = countPieces();
  let at = 12;
  while (at + 8 <= bytes.length) {
    count();
    const chunk = name(bytes, at);
    const size = bytes.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    if (end > bytes.length) break;
    if (chunk === "EXIF") orientation = orientationIn(bytes.subarray(at + 8, at + 8 + size));
    if (WEBP_NEEDED.has(chunk)) parts.push(bytes.subarray(at, end));
    at = end;
  }
  // Bytes after the size in the header do not belong to the picture.
  const counted = bytes.readUInt32LE(4) + 8;
  return { parts: at >= counted ? parts : [...parts, bytes.subarray(at)], orientation };
}

/** Joins the parts, with a new size and new flags in the header. */
function webpWith({ parts, orientation }: Kept): Buffer {
  const exif = exifOf(orientation);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(exif.length);
  const more = orientation === UPRIGHT ? [] : [Buffer.from("EXIF", "latin1"), size, exif];
  const whole = Buffer.concat([...parts, ...more]);
  whole.writeUInt32LE(whole.length - 8, 4);
  const flags = whole[20] ?? 0;
  if (name(whole, 12) === "VP8X") whole[20] = (flags & ~(HAS_EXIF | HAS_XMP)) | (more.length > 0 ? HAS_EXIF : 0);
  return whole;
}

// ── GIF (89a) ───────────────────────────────────────────────────────────────────────────────────────────────────

const [EXTENSION, IMAGE, TRAILER, CONTROL, APPLICATION] = [0x21, 0x2c, 0x3b, 0xf9, 0xff];
/** Extensions that say how often an animation runs. */
const LOOP_EXTENSIONS = new Set(["NETSCAPE2.0", "ANIMEXTS1.0"]);

/** Size in bytes of the colour table that the flags announce. */
const colourTableSize = (flags = 0): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** The end of a sequence of sub-blocks; undefined when the file ends before it. */
function endOfBlocks(bytes: Buffer, from: number): number | undefined {
  let at = from;
  for (let size = bytes[at]; size !== undefined; size = bytes[at]) {
    at += size + 1;
    if (size === 0) return at;
  }
  return undefined;
}

function gif(bytes: Buffer): Kept {
  let at = 13 + colourTableSize(bytes[10]);
  const parts = [bytes.subarray(0, at)];
  const count = countPieces();
  while (bytes[at] === EXTENSION || bytes[at] === IMAGE) {
    count();
    const picture = bytes[at] === IMAGE;
    const end = endOfBlocks(bytes, picture ? at + 11 + colourTableSize(bytes[at + 9]) : at + 2);
    if (end === undefined) break;
    const kind = bytes[at + 1];
    const needed =
      picture || kind === CONTROL || (kind === APPLICATION && LOOP_EXTENSIONS.has(name(bytes, at + 3, 11)));
    if (needed) parts.push(bytes.subarray(at, end));
    at = end;
  }
  parts.push(bytes.subarray(at, bytes[at] === TRAILER ? at + 1 : bytes.length));
  return { parts, orientation: UPRIGHT };
}

type Format = { keep: (bytes: Buffer) => Kept; join: (kept: Kept) => Buffer; joinUpright: (kept: Kept) => Buffer };

const joinParts = ({ parts }: Kept): Buffer => Buffer.concat(parts);

const FORMATS = new Map<string, Format>([
  ["image/jpeg", { keep: jpeg, join: jpegWith, joinUpright: joinParts }],
  ["image/png", { keep: png, join: pngWith, joinUpright: joinParts }],
  ["image/webp", { keep: webp, join: webpWith, joinUpright: webpWith }],
  ["image/gif", { keep: gif, join: joinParts, joinUpright: joinParts }],
]);

/**
 * Removes the metadata of a picture; returns the same buffer when there is none. Everything after the first byte that violates
 * the format is kept, because no reader of the format looks there.
 * @param type the detected MIME type; other types than pictures are returned unchanged
 * @throws RelayError `bad_image` when the picture has more than `PIECES_MAX` pieces
 */
export function withoutMetadata(type: string, bytes: Buffer): Buffer {
  const format = FORMATS.get(type);
  const kept = format?.keep(bytes);
  if (format === undefined || kept === undefined) return bytes;
  const left = kept.parts.reduce((sum, part) => sum + part.length, 0);
  if (left >= bytes.length) return bytes;
  return kept.orientation === UPRIGHT ? format.joinUpright(kept) : format.join(kept);
}
