/** Width and height of a picture, read from its header without decoding the picture (RELIABILITY A18). */

/** Width and height in pixels. */
export type PixelSize = { width: number; height: number };
/** Reads `length` bytes at `offset`; fewer at the end of the file. */
export type ReadBytes = (offset: number, length: number) => Promise<Buffer>;

const ascii = (bytes: Buffer, from: number, to: number): string => bytes.toString("latin1", from, to);

/** PNG: the IHDR chunk comes first (RFC 2083 section 4.1.1). */
async function png(read: ReadBytes): Promise<PixelSize | undefined> {
  const head = await read(0, 24);
  if (head.length < 24 || ascii(head, 12, 16) !== "IHDR") return undefined;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

/** The first image of a GIF must begin within this many bytes: before it come only colours, comments and profiles. */
const GIF_HEAD = 1024 * 1024;
const [EXTENSION, IMAGE] = [0x21, 0x2c];

/** Where the descriptor of the first image begins (GIF89a sections 15 to 26); undefined when there is none. */
function firstImage(bytes: Buffer): number | undefined {
  const flags = bytes[10] ?? 0;
  let at = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  while (bytes[at] === EXTENSION) {
    at += 2;
    for (let size = bytes[at] ?? 0; size > 0; size = bytes[at] ?? 0) at += 1 + size;
    at++;
  }
  return bytes[at] === IMAGE && at + 9 <= bytes.length ? at : undefined;
}

/**
 * GIF89a sections 18 and 20: the logical screen, or the first image if that is larger, because browsers then draw all of
 * it: Chromium drew 400 megapixels from a file whose screen was ten pixels wide.
 */
async function gif(read: ReadBytes): Promise<PixelSize | undefined> {
  const bytes = await read(0, GIF_HEAD);
  const image = firstImage(bytes);
  if (image === undefined) return undefined;
  const [screen, left, size] = [6, image + 1, image + 5];
  return {
    width: Math.max(bytes.readUInt16LE(screen), bytes.readUInt16LE(left) + bytes.readUInt16LE(size)),
    height: Math.max(bytes.readUInt16LE(screen + 2), bytes.readUInt16LE(left + 2) + bytes.readUInt16LE(size + 2)),
  };
}

/** WebP (RFC 9649): lossy, lossless or extended. */
async function webp(read: ReadBytes): Promise<PixelSize | undefined> {
  const head = await read(0, 30);
  if (head.length < 30) return undefined;
  switch (ascii(head, 12, 16)) {
    case "VP8 ":
      if (head.readUIntBE(23, 3) !== 0x9d012a) return undefined;
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      if (head[20] !== 0x2f) return undefined;
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Most segments before the frame header; no camera or program writes more. */
const SEGMENTS_MAX = 1_000;
/** Whether a marker starts a frame. DHT, JPG and DAC are in the same range but do not (ITU-T T.81 table B.1). */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** JPEG: skips from segment to segment until the frame header. */
async function jpeg(read: ReadBytes): Promise<PixelSize | undefined> {
  let offset = 2;
  for (let i = 0; i < SEGMENTS_MAX; i++) {
    const segment = await read(offset, 9);
    if (segment.length < 9 || segment[0] !== 0xff) return undefined;
    const marker = segment[1] ?? 0;
    if (marker === 0xff) {
      offset++;
      continue;
    }
    if (isFrame(marker)) return { height: segment.readUInt16BE(5), width: segment.readUInt16BE(7) };
    const length = segment.readUInt16BE(2);
    if (length < 2) return undefined;
    offset += 2 + length;
  }
  return undefined;
}

const READERS = new Map([
  ["image/png", png],
  ["image/gif", gif],
  ["image/webp", webp],
  ["image/jpeg", jpeg],
]);

/** The size of a picture in pixels; undefined when its header has none, or a zero. */
export async function dimensionsOf(type: string, read: ReadBytes): Promise<PixelSize | undefined> {
  const size = await READERS.get(type)?.(read);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}
