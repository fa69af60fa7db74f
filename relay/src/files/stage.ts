import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { randomId } from "@porchlight/shared/id";
import { RelayError } from "../base/errors.ts";
import { dimensionsOf, type Size } from "./dimensions.ts";
import { withoutMetadata } from "./metadata.ts";
import { isPlainText } from "./plain.ts";
import { HEAD, type Sniffer } from "./sniff.ts";
import { allowedType, type FileType, type Group, TEXT } from "./types.ts";

/** Largest size in bytes per group; 0: none of that group is taken. */
export type Caps = Record<Group, number>;

/** A file that was let in and waits in the staging folder. */
export type Staged = {
  path: string;
  size: number;
  type: FileType;
  pixels: Size | undefined;
  discard: () => Promise<void>;
};

/** Pictures beyond this cost every browser that shows them too much memory (RELIABILITY 3e). */
const PIXELS_MAX = 40_000_000;
/** What an ended process left in the staging folder is removed after this. */
const STALE_MS = 3_600_000;

type Parts = { folder: string; caps: Caps; sniffer: Sniffer };

/**
 * Takes uploads in: counted while they stream to a file of our own name, recognised by their bytes, measured. Lengths,
 * types and names that were sent along are not believed.
 */
export function createStage({ folder, caps, sniffer }: Parts) {
  const most = Math.max(...Object.values(caps));

  /** The type that the first bytes tell of. Plain text tells none: only its name and all of its bytes do. */
  async function typeOf(head: Buffer, name: string): Promise<FileType> {
    if (head.length === 0) throw new RelayError("empty_file", "file");
    const sniffed = await sniffer.sniff(head);
    const text = sniffed === undefined && /\.txt$/i.test(name) ? TEXT : undefined;
    const type = sniffed === undefined ? text : allowedType(sniffed);
    if (type === undefined || caps[type.group] === 0) throw new RelayError("type_not_allowed", "file");
    return type;
  }

  /** @throws RelayError when a file of this type, or of any while it is unknown, may not be so large */
  function fits(size: number, type: FileType | undefined): void {
    const max = type === undefined ? most : caps[type.group];
    if (size > max) throw new RelayError("too_large", "file", { max });
  }

  /** Writes the stream down, and stops at the first byte too many. */
  async function write(file: FileHandle, source: AsyncIterable<Buffer>, name: string) {
    let head: Buffer = Buffer.alloc(0);
    let size = 0;
    let type: FileType | undefined;
    for await (const chunk of source) {
      size += chunk.length;
      fits(size, type);
      await file.appendFile(chunk);
      if (type !== undefined) continue;
      head = Buffer.concat([head, chunk]).subarray(0, HEAD);
      if (head.length < HEAD) continue;
      type = await typeOf(head, name);
      fits(size, type);
    }
    type ??= await typeOf(head, name);
    fits(size, type);
    return { size, type };
  }

  /** What can only be said once all bytes are there. */
  async function measure(path: string, file: FileHandle, { type, group }: FileType): Promise<Size | undefined> {
    if (type === TEXT.type && !(await isPlainText(createReadStream(path))))
      throw new RelayError("type_not_allowed", "file");
    if (group !== "image") return undefined;
    const pixels = await dimensionsOf(type, async (offset, length) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    });
    if (pixels === undefined) throw new RelayError("bad_image", "file");
    if (pixels.width * pixels.height > PIXELS_MAX) throw new RelayError("too_many_pixels", "file");
    return pixels;
  }

  /** Takes out of a picture what it tells besides its pixels. @returns how many bytes are left */
  async function strip(file: FileHandle, { type }: FileType, size: number): Promise<number> {
    const { buffer } = await file.read(Buffer.alloc(size), 0, size, 0);
    const stripped = withoutMetadata(type, buffer);
    if (stripped === buffer) return size;
    await file.write(stripped, 0, stripped.length, 0);
    await file.truncate(stripped.length);
    return stripped.length;
  }

  return {
    /** Makes the folder, and removes what a process that ended in the middle of an upload left there. */
    async start(now: number): Promise<void> {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (const name of await readdir(folder)) {
        const path = join(folder, name);
        const found = await stat(path).catch(() => undefined);
        if (found !== undefined && now - found.mtimeMs > STALE_MS) await rm(path, { force: true });
      }
    },
    /**
     * @param source the bytes; left unread behind the point of refusal
     * @param name as it was sent
     * @throws RelayError that says which limit was passed; nothing is left behind then
     */
    async take(source: AsyncIterable<Buffer>, name: string): Promise<Staged> {
      const path = join(folder, randomId());
      const discard = (): Promise<void> => rm(path, { force: true });
      const file = await open(path, "wx+", 0o600);
      try {
        const { size, type } = await write(file, source, name);
        const pixels = await measure(path, file, type);
        return { path, size: pixels === undefined ? size : await strip(file, type, size), type, pixels, discard };
      } catch (error) {
        await discard();
        throw (error as NodeJS.ErrnoException).code === "ENOSPC" ? new RelayError("try_later") : error;
      } finally {
        await file.close();
      }
    },
  };
}

export type Stage = ReturnType<typeof createStage>;
