import { describe, expect, it } from "vitest";
import { soundType } from "./tracks.ts";

const bytes = (...parts: (number | number[] | string)[]): number[] =>
  parts.flatMap((part) => (typeof part === "string" ? [...Buffer.from(part)] : part));
const element = (id: number[], content: number[], unknown = false): number[] =>
  bytes(id, unknown ? [0x01, 255, 255, 255, 255, 255, 255, 255] : [0x80 | content.length], content);
const track = (type: number): number[] =>
  element([0xae], bytes([0xd7, 0x81, 1], [0x83, 0x81, type], [0x73, 0xc5, 0x81, 9]));
/** A WebM as a browser records it: the segment's size is unknown. */
const webm = (...types: number[]): Uint8Array =>
  Uint8Array.from(
    bytes(
      element([0x1a, 0x45, 0xdf, 0xa3], bytes([0x42, 0x82, 0x84], "webm")),
      element(
        [0x18, 0x53, 0x80, 0x67],
        bytes(element([0x15, 0x49, 0xa9, 0x66], [0]), element([0x16, 0x54, 0xae, 0x6b], types.flatMap(track))),
        true,
      ),
    ),
  );
const box = (name: string, ...content: number[][]): number[] => {
  const all = content.flat();
  return bytes([0, 0, 0, all.length + 8], name, all);
};
const handler = (kind: string): number[] =>
  box("trak", box("mdia", box("hdlr", bytes([0, 0, 0, 0, 0, 0, 0, 0], kind, [0]))));
const mp4 = (...kinds: string[]): Uint8Array =>
  Uint8Array.from(bytes(box("ftyp", bytes("isom")), box("moov", kinds.flatMap(handler))));

describe("a recording", () => {
  it.each([
    ["WebM with sound", "video/webm", webm(2), "audio/webm"],
    ["WebM with pictures and sound", "video/webm", webm(1, 2), "video/webm"],
    ["WebM with neither", "video/webm", webm(), "video/webm"],
    ["MP4 with sound", "video/mp4", mp4("soun"), "audio/mp4"],
    ["MP4 with pictures and sound", "video/mp4", mp4("vide", "soun"), "video/mp4"],
    ["another type", "image/png", webm(2), "image/png"],
  ])("of %s is %s, and gets the matching extension", (_what, sniffed, head, type) => {
    expect(soundType(sniffed, head)).toBe(type);
  });

  it("keeps its first detected type when too little is known about its tracks", () => {
    for (const [type, whole] of [
      ["video/webm", webm(2)],
      ["video/mp4", mp4("soun")],
    ] as const)
      for (let length = 0; length < whole.length; length++)
        expect([type, type.replace("video", "audio")]).toContain(soundType(type, whole.slice(0, length)));
    expect(soundType("video/webm", webm(2).slice(0, 40))).toBe("video/webm");
    expect(soundType("video/mp4", mp4("soun").slice(0, 40))).toBe("video/mp4");
  });

  it("whose last element is cut off within its content causes no error (A18)", () => {
    const empty = Uint8Array.from(
      bytes(box("ftyp", bytes("isom")), box("moov", box("trak", box("mdia", box("hdlr"))))),
    );
    expect(soundType("video/mp4", empty)).toBe("video/mp4");
    const type = bytes(
      [0x1a, 0x45, 0xdf, 0xa3, 0x80],
      element([0x16, 0x54, 0xae, 0x6b], element([0xae], [0x83, 0x80])),
    );
    expect(soundType("video/webm", Uint8Array.from(type))).toBe("video/webm");
  });

  it("of random bytes causes no error", () => {
    let seed = 7;
    const random = (): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed;
    };
    for (let round = 0; round < 500; round++) {
      const noise = Uint8Array.from(webm(2), (byte) => (random() % 5 === 0 ? random() % 256 : byte));
      expect(["video/webm", "audio/webm"]).toContain(soundType("video/webm", noise));
      expect(["video/mp4", "audio/mp4"]).toContain(soundType("video/mp4", noise));
    }
  });
});
