// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from "vitest";
import { fitted, shrunk } from "./shrink.ts";

const JPEG = "image/jpeg";
/** A picture of that many bytes; the browser reads it with these sides, and writes it with `written` bytes. */
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
    const { size, name, type } = await shrunk(picture({}));
    expect([size, name, type]).toEqual([300_000, "photo.png", JPEG]);
  });

  it.each([
    ["is small", { size: 200_000, sides: [800, 600] }],
    ["would become larger", { written: 6_000_000 }],
    ["is a GIF, which may move", { type: "image/gif" }],
    ["is a PNG that moves", { type: "image/png", head: "\x89PNG\r\n....acTL" }],
    ["is a WebP that moves", { type: "image/webp", head: "RIFF1234WEBPVP8X....ANIM" }],
    ["is no picture", { type: "application/pdf" }],
  ] as const)("stays as it is when it %s", async (_why, options) => {
    const file = picture(options as Parameters<typeof picture>[0]);
    expect(await shrunk(file)).toBe(file);
  });

  it("stays as it is when the browser cannot read it", async () => {
    const file = picture({});
    vi.stubGlobal("createImageBitmap", () => Promise.reject(new Error("no picture")));
    expect(await shrunk(file)).toBe(file);
  });

  it("is a JPEG where the relay takes no such file", async () => {
    const { name, type } = await shrunk(picture({ type: "image/heic", size: 900_000, sides: [1_000, 800] }));
    expect([name, type]).toEqual(["photo.jpg", JPEG]);
  });

  it("fits 2,048 pixels, keeps its shape, and never grows", () => {
    expect(fitted(4_096, 1_024)).toEqual({ width: 2_048, height: 512 });
    expect(fitted(3, 30_000)).toEqual({ width: 1, height: 2_048 });
    expect(fitted(640, 480)).toEqual({ width: 640, height: 480 });
  });
});
