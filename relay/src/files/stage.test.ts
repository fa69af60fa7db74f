import { mkdtempSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, it, vi } from "vitest";
import { RelayError } from "../base/errors.ts";
import { createBodyBudget } from "../http/body-budget.ts";
import { gif, PNG, png, WITH_METADATA } from "./samples.fixture.ts";
import { createSniffer } from "./sniff.ts";
import { type Caps, createStage } from "./stage.ts";

const MB = 1024 * 1024;
const CAPS: Caps = { image: MB, av: 2 * MB, document: MB };
const sniffer = createSniffer();
afterAll(() => sniffer.close());

/** @param arrivingMax most bytes of uploads that are arriving */
function stageIn(caps: Partial<Caps> = {}, arrivingMax?: number) {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-"));
  const arriving = createBodyBudget(arrivingMax);
  return { folder, stage: createStage({ folder, caps: { ...CAPS, ...caps }, sniffer, arriving }) };
}

/** The bytes in pieces, as a network delivers them. */
async function* pieces(bytes: Uint8Array, size = 700): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size));
}

async function* endless(start: Buffer): AsyncGenerator<Buffer> {
  yield start;
  for (;;) yield Buffer.alloc(64 * 1024, 7);
}

const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "taken",
    (error: unknown) => (error instanceof RelayError ? error.code : String(error)),
  );

describe("an upload", () => {
  it("is stored unchanged, with its detected type and its size", async () => {
    const { folder, stage } = stageIn();
    const staged = await stage.take(pieces(PNG, 10), "photo.html");
    expect(staged).toMatchObject({ size: PNG.length, pixels: { width: 1, height: 1 } });
    expect(staged.type.type).toBe("image/png");
    expect(readFileSync(staged.path)).toEqual(PNG);
    await staged.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("ends at the first byte above the limit, however long it is", async () => {
    const { folder, stage } = stageIn();
    expect(await refusal(stage.take(endless(png(9, 9)), "endless.png"))).toBe("too_large");
    expect(await refusal(stage.take(pieces(Buffer.concat([png(9, 9), Buffer.alloc(MB)]), 9_000), "x.png"))).toBe(
      "too_large",
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it("that has been arriving for longest is cut off when all of them take too much of the disk (A18)", async () => {
    const { folder, stage } = stageIn({}, MB);
    const source = new PassThrough();
    const slow = refusal(stage.take(source, "slow.txt", () => source.destroy()));
    source.write(Buffer.alloc(MB / 2 + 1, "a"));
    await expect
      .poll(() => readdirSync(folder).map((name) => statSync(join(folder, name)).size > MB / 2))
      .toEqual([true]);
    const big = Buffer.alloc((MB * 3) / 4, "a");
    const staged = await stage.take(pieces(big, 9_000), "big.txt", () => expect.unreachable());
    expect(source.destroyed).toBe(true);
    expect(await slow).toContain("Premature close");
    expect(readdirSync(folder)).toEqual([basename(staged.path)]);
    // What has arrived or was cut off no longer counts.
    for (let n = 0; n < 4; n++)
      await (await stage.take(pieces(big, 9_000), "big.txt", () => expect.unreachable())).discard();
  });

  it("is refused when it is empty, of an unknown type, or of a kind that is not allowed", async () => {
    const { folder, stage } = stageIn({ document: 0 });
    expect(await refusal(stage.take(pieces(Buffer.alloc(0)), "x.png"))).toBe("empty_file");
    expect(await refusal(stage.take(pieces(Buffer.from("hello")), "x.bin"))).toBe("type_not_allowed");
    expect(await refusal(stage.take(pieces(Buffer.from("<svg onload=alert(1)>")), "x.png"))).toBe("type_not_allowed");
    expect(await refusal(stage.take(pieces(Buffer.from("%PDF-1.4\n")), "x.pdf"))).toBe("type_not_allowed");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is refused when the picture is damaged, or has too many pixels", async () => {
    const { stage } = stageIn();
    expect(await refusal(stage.take(pieces(png(30_000, 30_000)), "bomb.png"))).toBe("too_many_pixels");
    expect(await refusal(stage.take(pieces(gif(0, 100)), "x.gif"))).toBe("bad_image");
    expect(await refusal(stage.take(pieces(png(7_000, 5_000)), "large.png"))).toBe("taken");
  });

  it("is plain text only when its name and all its bytes are those of text", async () => {
    const { stage } = stageIn();
    const taken = (words: string | Buffer, name = "notes.txt") =>
      refusal(stage.take(pieces(Buffer.from(words), 5), name));
    expect(await taken("Dear shop,\r\n\tit is 3 < 4, and ÆØÅ 👋\n")).toBe("taken");
    expect(await taken("words", "notes.csv")).toBe("type_not_allowed");
    const far = "long text ".repeat(1_000);
    const markup = ["<b>", "</p>", "<!doctype html>", "<?xml ?>", "+ADw-script+AD4-", `${far}<script>`];
    for (const words of markup) expect(await taken(words)).toBe("type_not_allowed");
    const bytes = [Buffer.from([0xff, 0xfe, 0x3c, 0]), Buffer.from([65, 0, 66]), Buffer.from([0xc3])];
    for (const words of bytes) expect(await taken(words)).toBe("type_not_allowed");
  });

  it("leaves no file behind when its sender disconnects", async () => {
    const { folder, stage } = stageIn();
    async function* broken(): AsyncGenerator<Buffer> {
      yield PNG.subarray(0, 20);
      throw new Error("aborted");
    }
    await expect(stage.take(broken(), "x.png")).rejects.toThrow("aborted");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("keeps at most one picture in memory, however many end at the same time (A18)", async () => {
    const { folder, stage } = stageIn();
    const picture = WITH_METADATA["image/png"];
    const probe = await open(join(folder, "probe"), "w");
    const handles = Object.getPrototypeOf(probe) as FileHandle;
    await probe.close();
    let inMemory = 0;
    let most = 0;
    const { read, truncate } = handles;
    vi.spyOn(handles, "read").mockImplementation(function (this: FileHandle, ...given: unknown[]) {
      if (given[2] === picture.length) most = Math.max(most, ++inMemory);
      return Reflect.apply(read, this, given);
    });
    vi.spyOn(handles, "truncate").mockImplementation(function (this: FileHandle, size) {
      inMemory--;
      return truncate.call(this, size);
    });
    const taken = await Promise.all(Array.from({ length: 8 }, () => stage.take(pieces(picture), "x.png")));
    vi.restoreAllMocks();
    expect(taken.every(({ size }) => size < picture.length)).toBe(true);
    expect([most, inMemory]).toEqual([1, 0]);
  });

  it("of an earlier process is removed at the start, unless it may still be under way", async () => {
    const { folder, stage } = stageIn();
    writeFileSync(join(folder, "old"), "x");
    writeFileSync(join(folder, "new"), "x");
    utimesSync(join(folder, "old"), 1, 1);
    await stage.start(Date.now());
    expect(readdirSync(folder)).toEqual(["new"]);
  });
});

describe("sniffing", () => {
  it("ends a thread that hangs, reports no type, and continues with a new thread", async () => {
    const hanging = createSniffer(new URL("data:text/javascript,for(;;);"), 50);
    expect(await Promise.all([hanging.sniff(PNG), hanging.sniff(PNG)])).toEqual([undefined, undefined]);
    expect(await hanging.sniff(PNG)).toBeUndefined();
    await hanging.close();
  });

  it("answers without waiting when the thread crashes", async () => {
    const broken = createSniffer(new URL("data:text/javascript,throw 1"), 600_000);
    expect(await broken.sniff(PNG)).toBeUndefined();
    await broken.close();
  });
});
