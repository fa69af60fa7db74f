import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { randomId } from "@porchlight/shared/id";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDiskFiles } from "../relay/src/files/disk.ts";
import { createS3Files } from "../relay/src/files/s3.ts";
import type { Files } from "../relay/src/files/store.ts";
import { S3_START_MS, startS3 } from "./setup/s3.ts";

/** The behaviour of both file stores: the folder on the disk, and a bucket on a real S3-compatible server. */

let folder: string;
let s3: Awaited<ReturnType<typeof startS3>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "porchlight-stores-"));
  s3 = await startS3();
}, S3_START_MS);
afterAll(async () => {
  await s3.stop();
  rmSync(folder, { recursive: true, force: true });
});

const STORES: [string, () => Files][] = [
  ["the disk", () => createDiskFiles(folder)],
  ["an S3-compatible server", () => createS3Files(s3.bucket)],
];

const newKey = (): string => randomId(26);

/** Stores these bytes. @returns the path from which they were moved */
async function put(files: Files, key: string, bytes: Buffer): Promise<string> {
  const path = join(folder, `incoming-${key}`);
  writeFileSync(path, bytes);
  await files.put(key, path, "image/png");
  return path;
}

const read = async (files: Files, key: string, span?: { from: number; to: number }): Promise<Buffer | undefined> => {
  const stream = await files.get(key, span);
  return stream && buffer(stream);
};

describe.each(STORES)("%s", (_, open) => {
  it("returns the stored bytes, whole or in part, and moves the file from its old path", async () => {
    const [files, key] = [open(), newKey()];
    const bytes = Buffer.alloc(3_000_000, "0123456789");
    const path = await put(files, key, bytes);
    expect(existsSync(path)).toBe(false);
    expect((await read(files, key))?.equals(bytes)).toBe(true);
    expect(String(await read(files, key, { from: 12, to: 15 }))).toBe("2345");
    await files.close();
  });

  it("finds no file that was removed or never stored, and accepts the removal of a missing file", async () => {
    const [files, key] = [open(), newKey()];
    expect(await read(files, key)).toBeUndefined();
    await put(files, key, Buffer.from("bytes"));
    await files.remove(key);
    await files.remove(key);
    expect(await read(files, key)).toBeUndefined();
    await files.close();
  });
});

it("an S3-compatible server refuses a request with a wrong signature, and the store says so", async () => {
  const [files, forger] = [createS3Files(s3.bucket), createS3Files({ ...s3.bucket, secret: "another secret" })];
  const key = newKey();
  await put(files, key, Buffer.from("bytes"));
  await expect(forger.get(key)).rejects.toThrow("The file store answered 403 to GET");
  await expect(put(forger, newKey(), Buffer.from("forged"))).rejects.toThrow("The file store answered 403 to PUT");
  expect(String(await read(files, key))).toBe("bytes");
  await Promise.all([files.close(), forger.close()]);
});
