// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from "vitest";
import { fittedSize, smallerPicture } from "./shrink.ts";

const JPEG = "image/jpeg";
/** A picture of `size` bytes. The simulated browser reads it with these sides, and encodes it with `written` bytes. */
function picture(options: { type?: string; size?: number; sides?: [number, number]; written?: number; head?: string }) {
  const { type = JPEG, size = 5_000_000, sides = [4_000, 3_000], written = 300_000, head = "" } = options;
  vi.stubGlobal("createImageBitmap", async () => ({ width: sides[0], height: sides[1], close() {} }));
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue({ drawImage() {} } as never);
  vi.spyOn(HTMLCanvasElement.prototype, "toBlob").mockImplementation((done, as) =>
    done(new Blob([new Uint8Array(written)], { type: as ?? "" })),
  );
  const bytes = new Uint8Array(size);
  bytes.set(Array.from(head, (letter) => letter.charCodeAt(0)));
  return new File([bytes], "photo.png", { type });
}
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("a picture that is sent", () => {
  it("becomes smaller, and keeps its name and type", async () => {
    const { size, name, type } = await smallerPicture(picture({}));
    expect([size, name, type]).toEqual([300_000, "photo.png", JPEG]);
  });

  it.each([
    ["is small", { size: 200_000, sides: [800, 600] }],
    ["would become larger", { written: 6_000_000 }],
    ["is a GIF, which may be animated", { type: "image/gif" }],
    ["is an animated PNG", { type: "image/png", head: "\x89PNG\r\n....acTL" }],
    ["is an animated WebP", { type: "image/webp", head: "RIFF1234WEBPVP8X....ANIM" }],
    ["is not a picture", { type: "application/pdf" }],
  ] as const)("is not changed when it %s", async (_why, options) => {
    const file = picture(options as Parameters<typeof picture>[0]);
    expect(await smallerPicture(file)).toBe(file);
  });

  it("is not changed when the browser cannot read it", async () => {
    const file = picture({});
    vi.stubGlobal("createImageBitmap", () => Promise.reject(new Error("no picture")));
    expect(await smallerPicture(file)).toBe(file);
  });

  it("becomes a JPEG if the relay does not accept its type", async () => {
    const { name, type } = await smallerPicture(picture({ type: "image/heic", size: 900_000, sides: [1_000, 800] }));
    expect([name, type]).toEqual(["photo.jpg", JPEG]);
  });

  it("fits 2,048 pixels, keeps its shape, and never grows", () => {
    expect(fittedSize(4_096, 1_024)).toEqual({ width: 2_048, height: 512 });
    expect(fittedSize(3, 30_000)).toEqual({ width: 1, height: 2_048 });
    expect(fittedSize(640, 480)).toEqual({ width: 640, height: 480 });
  });
});
