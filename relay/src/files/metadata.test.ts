import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { withoutMetadata } from "./metadata.ts";
import { gif, PNG, png, WITH_METADATA, webp } from "./samples.fixture.ts";

/** An Exif directory with one entry, orientation 6: it must remain after cleaning. */
const SIDEWAYS = Buffer.from("011200030000000100060000", "hex");
/** The bytes of the pixels, which cleaning must not change. */
const DRAWN: Record<string, [from: string, to: string]> = {
  "image/jpeg": ["ffdb0043", "ffd9"],
  "image/png": ["49444154", "49454e44"],
  "image/webp": ["5650384c", "45584946"],
  "image/gif": ["2c000000", "3b"],
};
const pixelsOf = (type: string, bytes: Buffer): string => {
  const [from = "", to = ""] = DRAWN[type] ?? [];
  const hex = bytes.toString("hex");
  const start = hex.indexOf(from);
  return hex.slice(start, hex.indexOf(to, start + from.length));
};

describe.each(Object.entries(WITH_METADATA))("a picture of type %s", (type, original) => {
  const left = withoutMetadata(type, original);

  it("no longer reveals where and by whom it was taken, and keeps its pixels", () => {
    expect(original.includes("SECRET")).toBe(true);
    expect(left.includes("SECRET")).toBe(false);
    expect(pixelsOf(type, left)).toBe(pixelsOf(type, original));
    expect(pixelsOf(type, left).length).toBeGreaterThan(20);
  });

  it("keeps its orientation, if its format has one", () => {
    expect(left.includes(SIDEWAYS)).toBe(type !== "image/gif");
  });

  it("stays the same when it is cleaned again", () => {
    expect(withoutMetadata(type, left)).toEqual(left);
  });

  it("loses the bytes after its end", () => {
    expect(withoutMetadata(type, Buffer.concat([original, original]))).toEqual(left);
  });

  it("causes no error when it is cut anywhere or any byte is changed", () => {
    const place = fc.nat(original.length - 1);
    fc.assert(
      fc.property(place, fc.nat(255), place, (at, value, end) => {
        const bytes = Buffer.from(original.subarray(0, Math.max(32, end)));
        if (at < bytes.length) bytes[at] = value;
        expect(withoutMetadata(type, bytes).length).toBeLessThanOrEqual(bytes.length + 64);
      }),
      { numRuns: 2_000 },
    );
  });
});

it("keeps the data for colours and animations", () => {
  const profile = Buffer.concat([
    Buffer.from([0xff, 0xe2, 0, 15]),
    Buffer.from("ICC_PROFILE\0", "latin1"),
    Buffer.of(1),
  ]);
  const adobe = Buffer.concat([Buffer.from([0xff, 0xee, 0, 14]), Buffer.from("Adobe1234567", "latin1")]);
  const original = WITH_METADATA["image/jpeg"];
  const left = withoutMetadata(
    "image/jpeg",
    Buffer.concat([original.subarray(0, 20), profile, adobe, original.subarray(20)]),
  );
  expect(left.includes(profile)).toBe(true);
  expect(left.includes(adobe)).toBe(true);
  expect(withoutMetadata("image/gif", WITH_METADATA["image/gif"]).includes("NETSCAPE2.0")).toBe(true);
});

it("does not change a file that is too short to be a picture", () => {
  for (const type of Object.keys(WITH_METADATA))
    for (let length = 0; length < 32; length++) {
      const bytes = Buffer.from(WITH_METADATA[type as keyof typeof WITH_METADATA].subarray(0, length));
      expect(withoutMetadata(type, bytes)).toBe(bytes);
      expect(withoutMetadata(type, Buffer.alloc(length)).length).toBeLessThanOrEqual(length);
    }
});

it("does not change a file without metadata, or one that violates its format", () => {
  for (const [type, bytes] of [
    ["image/png", PNG],
    ["image/png", png(9, 9)],
    ["image/gif", gif(3, 3)],
    ["image/webp", webp("VP8L", 3, 3)],
    ["application/pdf", Buffer.from("%PDF-1.7 SECRET")],
  ] as const)
    expect(withoutMetadata(type, bytes)).toBe(bytes);
});

describe("a picture made to keep the relay busy (A18)", () => {
  const start = (type: keyof typeof WITH_METADATA, length: number): Buffer => WITH_METADATA[type].subarray(0, length);
  const repeated = (pattern: Buffer): Buffer => Buffer.alloc(20_000 * pattern.length, pattern);

  it.each([
    ["image/jpeg", "segments", start("image/jpeg", 2), Buffer.from([0xff, 0xe0, 0, 2])],
    ["image/jpeg", "scans", start("image/jpeg", 2), Buffer.from([0xff, 0xda, 0, 2])],
    ["image/png", "chunks", start("image/png", 8), Buffer.from("\0\0\0\0tEXt\0\0\0\0", "latin1")],
    ["image/webp", "chunks", start("image/webp", 12), Buffer.from("ANMF\0\0\0\0", "latin1")],
    ["image/gif", "blocks", gif(1, 1).subarray(0, 19), Buffer.from([0x21, 0xf9, 0])],
  ])("is refused: %s with 20,000 %s", (type, _, begin, piece) => {
    expect(() => withoutMetadata(type, Buffer.concat([begin, repeated(piece)]))).toThrow("damaged");
  });

  it("of many bytes 0xff is read byte by byte, without a search for each", () => {
    const scan = Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2]);
    const bytes = Buffer.concat([scan, repeated(Buffer.from([0xff, 0])), Buffer.from([0xff, 0xd9])]);
    const searches = vi.spyOn(bytes, "indexOf");
    expect(withoutMetadata("image/jpeg", bytes)).toBe(bytes);
    expect(searches.mock.calls.length).toBeLessThan(10);
  });

  it("with a directory that states more entries than it has is read to its end", () => {
    const payload = Buffer.from("Exif\0\0II*\0\x08\0\0\0\xff\xff", "latin1");
    const exif = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, payload.length + 2]), payload]);
    const reads = vi.spyOn(Buffer.prototype, "readUInt16LE");
    withoutMetadata("image/jpeg", exif);
    expect(reads.mock.calls.length).toBeLessThan(20);
    reads.mockRestore();
  });
});
