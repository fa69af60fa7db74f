import { describe, expect, it } from "vitest";
import { dimensionsOf } from "./dimensions.ts";
import { gif, jpeg, png, webp } from "./samples.fixture.ts";

const sizeOf = (type: string, bytes: Buffer) =>
  dimensionsOf(type, async (offset, length) => bytes.subarray(offset, offset + length));

describe("the size of a picture", () => {
  it("is read from the header of every format", async () => {
    const size = { width: 640, height: 480 };
    expect(await sizeOf("image/png", png(640, 480))).toEqual(size);
    expect(await sizeOf("image/gif", gif(640, 480))).toEqual(size);
    expect(await sizeOf("image/jpeg", jpeg(640, 480))).toEqual(size);
    expect(await sizeOf("image/webp", webp("VP8 ", 640, 480))).toEqual(size);
    expect(await sizeOf("image/webp", webp("VP8L", 640, 480))).toEqual(size);
    expect(await sizeOf("image/webp", webp("VP8X", 640, 480))).toEqual(size);
  });

  it("of a GIF whose first image is larger than the screen is that image's size, because browsers draw all of it (A18)", async () => {
    expect(await sizeOf("image/gif", gif(1, 1, [20_000, 20_000]))).toEqual({ width: 20_000, height: 20_000 });
    expect(await sizeOf("image/gif", gif(640, 480, [10, 10]))).toEqual({ width: 640, height: 480 });
  });

  it("of a GIF without an image is undefined", async () => {
    const empty = gif(640, 480).subarray(0, 19);
    expect(await sizeOf("image/gif", Buffer.concat([empty, Buffer.from([0x3b])]))).toBeUndefined();
    expect(await sizeOf("image/gif", Buffer.concat([empty, Buffer.alloc(2_000_000, "\x21\xfe\xff")]))).toBeUndefined();
  });

  it("is found after a megabyte of metadata", async () => {
    expect(await sizeOf("image/jpeg", jpeg(4000, 3000, 1_000_000))).toEqual({ width: 4000, height: 3000 });
  });

  it("is undefined when the header is cut off at any point", async () => {
    const whole = [png(1, 1).subarray(0, 24), gif(1, 1).subarray(0, 36), webp("VP8X", 1, 1).subarray(0, 30)];
    for (const [i, type] of ["image/png", "image/gif", "image/webp"].entries())
      for (let end = 0; end < (whole[i]?.length ?? 0); end++)
        expect(await sizeOf(type, whole[i]?.subarray(0, end) ?? Buffer.alloc(0))).toBeUndefined();
    const photo = jpeg(1, 1, 100);
    for (let end = 0; end < photo.length - 10; end++)
      expect(await sizeOf("image/jpeg", photo.subarray(0, end))).toBeUndefined();
  });

  it("is undefined when it has no area, and for a file that is not a picture", async () => {
    expect(await sizeOf("image/png", png(0, 5))).toBeUndefined();
    expect(await sizeOf("image/jpeg", Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, 0, 1, 2, 3, 4, 5, 6]))).toBeUndefined();
    expect(await sizeOf("application/pdf", Buffer.from("%PDF-1.4"))).toBeUndefined();
  });

  it("is searched for in a thousand segments of a file at most", async () => {
    let reads = 0;
    const size = await dimensionsOf("image/jpeg", async (_offset, length) => {
      reads++;
      return Buffer.alloc(length).fill(Buffer.from([0xff, 0xe1, 0, 2]));
    });
    expect([size, reads]).toEqual([undefined, 1_000]);
  });
});
