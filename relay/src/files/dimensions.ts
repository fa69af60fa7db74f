/** Width and height of a picture, read from its header without decoding the picture (RELIABILITY A18). */

export type Size = { width: number; height: number };
/** Reads `length` bytes at `offset`; fewer at the end of the file. */
export type Read = (offset: number, length: number) => Promise<Buffer>;

const ascii = (bytes: Buffer, from: number, to: number): string => bytes.toString("latin1", from, to);

/** PNG: the IHDR chunk comes first (RFC 2083 section 4.1.1). */
async function png(read: Read): Promise<Size | undefined> {
  const head = await read(0, 24);
  if (head.length < 24 || ascii(head, 12, 16) !== "IHDR") return undefined;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

/** GIF89a section 18: the logical screen. */
async function gif(read: Read): Promise<Size | undefined> {
  const head = await read(0, 10);
  return head.length < 10 ? undefined : { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
}

/** WebP (RFC 9649): lossy, lossless or extended. */
async function webp(read: Read): Promise<Size | undefined> {
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
async function jpeg(read: Read): Promise<Size | undefined> {
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
export async function dimensionsOf(type: string, read: Read): Promise<Size | undefined> {
  const size = await READERS.get(type)?.(read);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}
