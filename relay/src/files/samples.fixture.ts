/** Small generated files of allowed types. */

const u16be = (value: number): number[] => [value >> 8, value & 255];
const u16le = (value: number): number[] => [value & 255, value >> 8];
const u32be = (value: number): number[] => [...u16be(value >>> 16), ...u16be(value & 0xffff)];
const text = (words: string): number[] => [...Buffer.from(words, "latin1")];

/** A complete picture of one pixel. */
export const PNG: Buffer<ArrayBuffer> = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64",
);

/** A PNG header with this size, followed by `bytes` bytes without pixels. */
export const png = (width: number, height: number, bytes = 0): Buffer<ArrayBuffer> =>
  Buffer.concat([
    Buffer.from([0x89, ...text("PNG\r\n\x1a\n"), 0, 0, 0, 13, ...text("IHDR"), ...u32be(width), ...u32be(height)]),
    Buffer.from([8, 2, 0, 0, 0, 0, 0, 0, 0, ...u32be(bytes), ...text("IDAT")]),
    Buffer.alloc(bytes === 0 ? 0 : bytes + 4),
  ]);

/** A GIF with one image. @param image its width and height where they differ from those of the screen */
export const gif = (width: number, height: number, image: [number, number] = [width, height]): Buffer<ArrayBuffer> =>
  Buffer.from([
    ...[...text("GIF89a"), ...u16le(width), ...u16le(height), 0x80, 0, 0, 0, 0, 0, 255, 255, 255],
    ...[0x21, 0xf9, 4, 0, 0, 0, 0, 0],
    ...[0x2c, 0, 0, 0, 0, ...u16le(image[0]), ...u16le(image[1]), 0, 2, 2, 0x4c, 1, 0, 0x3b],
  ]);

/** A JPEG whose frame header comes after `padding` bytes of other segments, like large metadata. */
export function jpeg(width: number, height: number, padding = 0): Buffer<ArrayBuffer> {
  const segments: number[] = [];
  for (let left = padding; left > 0; left -= 60_000)
    segments.push(
      0xff,
      0xe1,
      ...u16be(Math.min(left, 60_000) + 2),
      ...new Array<number>(Math.min(left, 60_000)).fill(7),
    );
  const frame = [0xff, 0xc2, ...u16be(11), 8, ...u16be(height), ...u16be(width), 1, 1, 0x11, 0];
  return Buffer.from([0xff, 0xd8, ...segments, 0xff, ...frame, 0xff, 0xd9]);
}

/** The three kinds of WebP. */
export function webp(kind: "VP8 " | "VP8L" | "VP8X", width: number, height: number): Buffer<ArrayBuffer> {
  const u24le = (value: number): number[] => [value & 255, (value >> 8) & 255, value >> 16];
  const bits = (width - 1) | ((height - 1) << 14);
  const body = {
    "VP8 ": [0, 0, 0, 0x9d, 0x01, 0x2a, ...u16le(width), ...u16le(height)],
    VP8L: [0x2f, bits & 255, (bits >>> 8) & 255, (bits >>> 16) & 255, bits >>> 24, 0, 0, 0, 0, 0],
    VP8X: [0, 0, 0, 0, ...u24le(width - 1), ...u24le(height - 1)],
  }[kind];
  return Buffer.from([...text("RIFF"), 40, 0, 0, 0, ...text("WEBP"), ...text(kind), 10, 0, 0, 0, ...body]);
}

const coded = (bytes: string): Buffer<ArrayBuffer> => Buffer.from(bytes, "base64");

/**
 * Complete pictures of two pixels with metadata: an Exif orientation of a quarter turn, and the word SECRET in Exif with a place,
 * XMP, text or comments.
 */
export const WITH_METADATA = {
  "image/jpeg": coded(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/4QB+RXhpZgAATU0AKgAAAAgAAwEOAAIAAAANAAAAMgESAAMAAAABAAYAAIglAAQAAAABAAAAQAAAAABTRUNSRVQgcGxhY2UAAAACAAEAAgAAAAJOAAAAAAIABQAAAAMAAABeAAAAAAAAADQAAAABAAAAHgAAAAEAAAABAAAAAf/+ABBTRUNSRVQgY29tbWVudP/bAEMA///////////////////////////////////////////////////////////////////////////////////////AAAsIAAEAAgEBEQD/xAAUAAEAAAAAAAAAAAAAAAAAAAAC/8QAFxABAAMAAAAAAAAAAAAAAAAAAQAxcf/aAAgBAQAAPwANus//2Q==",
  ),
  "image/png": coded(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAAAAADRSSBWAAAADXRFWHRBdXRob3IAU0VDUkVUGKmqYQAAAHZlWElmTU0AKgAAAAgAAwEOAAIAAAANAAAAMgESAAMAAAABAAYAAIglAAQAAAABAAAAQAAAAABTRUNSRVQgcGxhY2UAAAACAAEAAgAAAAJOAAAAAAIABQAAAAMAAABeAAAAAAAAADQAAAABAAAAHgAAAAEAAAABAAAAAVFkmyEAAAALSURBVHicYzjBAAABkwDJD6Kf3QAAAABJRU5ErkJggg==",
  ),
  "image/webp": coded(
    "UklGRsAAAABXRUJQVlA4WAoAAAAMAAAAAQAAAAAAVlA4TBIAAAAvAQAAAA8wyIM8yPMfeMiI/gdFWElGdgAAAE1NACoAAAAIAAMBDgACAAAADQAAADIBEgADAAAAAQAGAACIJQAEAAAAAQAAAEAAAAAAU0VDUkVUIHBsYWNlAAAAAgABAAIAAAACTgAAAAACAAUAAAADAAAAXgAAAAAAAAA0AAAAAQAAAB4AAAABAAAAAQAAAAFYTVAgCgAAAFNFQ1JFVCB4bXA=",
  ),
  "image/gif": coded(
    "R0lGODlhAgABAIEAAAAAAMjIyAAAAAAAACH/C05FVFNDQVBFMi4wAwEDAAAh/gpTRUNSRVQgZ2lmACwAAAAAAgABAAAIBQADAAgIACH5BAEAAAIALAAAAAACAAEAgQAAAMjIyAAAAAAAAAgFAAEECAgAOw==",
  ),
} as const;
