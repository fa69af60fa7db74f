import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { randomId } from "@porchlight/shared/id";
import { limitConcurrency } from "../base/concurrency.ts";
import { RelayError } from "../base/errors.ts";
import { dimensionsOf, type PixelSize } from "./dimensions.ts";
import { withoutMetadata } from "./metadata.ts";
import { isPlainText } from "./plain-text.ts";
import { HEAD_BYTES, type Sniffer } from "./sniff.ts";
import { allowedType, type FileGroup, type FileType, TEXT_TYPE } from "./types.ts";

/** Largest size in bytes per group; 0: the group is not allowed. */
export type Caps = Record<FileGroup, number>;

/** An accepted file in the staging folder. */
export type StagedFile = {
  path: string;
  size: number;
  type: FileType;
  pixels: PixelSize | undefined;
  /** Deletes the file. */
  discard: () => Promise<void>;
};

/** Pictures with more pixels cost every browser that shows them too much memory (RELIABILITY 3e). */
const PIXELS_MAX = 40_000_000;
/** Files that an ended process left in the staging folder are removed at this age, in milliseconds. */
const STALE_MS = 3_600_000;

/** Most pictures whose metadata is removed at the same time. Each of them is in memory twice (RELIABILITY A18). */
const STRIPPED_AT_ONCE = 1;

/** An upload that is arriving. `cutOff` must end it. */
type Arriving = { size: number; cutOff: () => void };

type StageDeps = {
  folder: string;
  caps: Caps;
  sniffer: Sniffer;
  /** Limits the bytes of all uploads that are arriving: it cuts off the oldest ones (RELIABILITY A18). */
  arriving: { add: (upload: Arriving, bytes: number) => void; remove: (upload: Arriving) => void };
};
type State = StageDeps & { limited: ReturnType<typeof limitConcurrency> };

/** The staging folder for uploads. */
export type UploadStage = {
  /** Creates the folder, and removes the files that an ended process left in it. @param now milliseconds since 1970 */
  start: (now: number) => Promise<void>;
  /**
   * Takes an upload.
   * @param source the bytes; the rest stays unread when the file is refused
   * @param name as the client sent it
   * @param cutOff ends the source, when all uploads that are arriving take too much of the disk
   * @throws RelayError that names the limit; nothing of the file is kept then
   */
  take: (source: AsyncIterable<Buffer>, name: string, cutOff?: () => void) => Promise<StagedFile>;
};

/**
 * Stages uploads: counts their bytes while they stream into a file with a generated name, detects the type from the bytes, and
 * measures pictures. Lengths, types and names from a client are not trusted.
 */
export function createStage(deps: StageDeps): UploadStage {
  const state: State = { ...deps, limited: limitConcurrency(STRIPPED_AT_ONCE) };
  return {
    start: (now) => clean(deps.folder, now),
    take: (source, name, cutOff = () => {}) => take(state, counted(state, source, cutOff), name),
  };
}

/** Creates the folder and removes old files from it. @param now milliseconds since 1970 */
async function clean(folder: string, now: number): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && now - found.mtimeMs > STALE_MS) await rm(path, { force: true });
  }
}

/** The source, whose bytes count as arriving until it ends. */
async function* counted(
  { arriving }: State,
  source: AsyncIterable<Buffer>,
  cutOff: () => void,
): AsyncGenerator<Buffer, void> {
  let isCutOff = false;
  const upload: Arriving = {
    size: 0,
    cutOff() {
      isCutOff = true;
      arriving.remove(upload);
      cutOff();
    },
  };
  try {
    for await (const chunk of source) {
      if (!isCutOff) arriving.add(upload, chunk.length);
      yield chunk;
    }
  } finally {
    if (!isCutOff) arriving.remove(upload);
  }
}

async function take(state: State, source: AsyncIterable<Buffer>, name: string): Promise<StagedFile> {
  const path = join(state.folder, randomId());
  const discard = (): Promise<void> => rm(path, { force: true });
  const file = await open(path, "wx+", 0o600);
  try {
    const { size, type } = await write(state, file, source, name);
    const pixels = await checkContent(path, file, type);
    const finalSize = pixels === undefined ? size : await state.limited(() => strip(file, type, size));
    return { path, size: finalSize, type, pixels, discard };
  } catch (error) {
    await discard();
    throw (error as NodeJS.ErrnoException).code === "ENOSPC" ? new RelayError("try_later") : error;
  } finally {
    await file.close();
  }
}

/** Writes the stream to the file. @throws RelayError as soon as the file is too large, or its type is not allowed */
async function write(
  deps: StageDeps,
  file: FileHandle,
  source: AsyncIterable<Buffer>,
  name: string,
): Promise<{ size: number; type: FileType }> {
  let head: Buffer = Buffer.alloc(0);
  let size = 0;
  let type: FileType | undefined;
  for await (const chunk of source) {
    size += chunk.length;
    assertFits(deps.caps, size, type);
    await file.appendFile(chunk);
    if (type !== undefined) continue;
    head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES);
    if (head.length < HEAD_BYTES) continue;
    type = await typeFrom(deps, head, name);
    assertFits(deps.caps, size, type);
  }
  type ??= await typeFrom(deps, head, name);
  assertFits(deps.caps, size, type);
  return { size, type };
}

/**
 * The type that the first bytes show. Plain text has no typical first bytes: the name's ending decides, and `checkContent` later
 * reads the whole file.
 */
async function typeFrom({ caps, sniffer }: StageDeps, head: Buffer, name: string): Promise<FileType> {
  if (head.length === 0) throw new RelayError("empty_file", "file");
  const sniffed = await sniffer.sniff(head);
  const text = sniffed === undefined && /\.txt$/i.test(name) ? TEXT_TYPE : undefined;
  const type = sniffed === undefined ? text : allowedType(sniffed);
  if (type === undefined || caps[type.group] === 0) throw new RelayError("type_not_allowed", "file");
  return type;
}

/**
 * Checks the size.
 * @param type undefined while it is unknown; the largest limit counts in that case
 * @throws RelayError when the file is too large
 */
function assertFits(caps: Caps, size: number, type: FileType | undefined): void {
  const max = type === undefined ? Math.max(...Object.values(caps)) : caps[type.group];
  if (size > max) throw new RelayError("too_large", "file", { max });
}

/** Makes the checks that need the whole file: of plain text, and of a picture's size. @returns a picture's size in pixels */
async function checkContent(path: string, file: FileHandle, { type, group }: FileType): Promise<PixelSize | undefined> {
  if (type === TEXT_TYPE.type && !(await isPlainText(createReadStream(path))))
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

/** Removes a picture's metadata. @returns the new size of the file in bytes */
async function strip(file: FileHandle, { type }: FileType, size: number): Promise<number> {
  const { buffer } = await file.read(Buffer.alloc(size), 0, size, 0);
  const stripped = withoutMetadata(type, buffer);
  if (stripped === buffer) return size;
  await file.write(stripped, 0, stripped.length, 0);
  await file.truncate(stripped.length);
  return stripped.length;
}
