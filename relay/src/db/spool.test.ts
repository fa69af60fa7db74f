import { appendFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSpool } from "./spool.ts";

const folder = () => mkdtempSync(join(tmpdir(), "porchlight-"));

/** Replays the spool of a folder. @returns its entries, in order */
async function replayed(dir: string): Promise<unknown[]> {
  const entries: unknown[] = [];
  await openSpool(dir, "replies").replay(async (some) => void entries.push(...some));
  return entries;
}

it("replays the appended entries in order, in a later process too, and is empty then", async () => {
  const dir = folder();
  const spool = openSpool<{ n: number }>(dir, "replies");
  for (let n = 0; n < 3; n++) spool.append({ n });
  expect(spool.waiting).toBe(true);
  expect(openSpool(dir, "replies").waiting).toBe(true);
  expect(await replayed(dir)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
  expect(openSpool(dir, "replies").waiting).toBe(false);
});

it("replays everything again after a failed replay, followed by newer entries", async () => {
  const dir = folder();
  const spool = openSpool<{ n: number }>(dir, "replies");
  spool.append({ n: 0 });
  spool.append({ n: 1 });
  const broken = spool.replay(async (entries) => {
    if (entries.length > 1) throw new Error("the database is down again");
  });
  await expect(broken).rejects.toThrow("down again");
  spool.append({ n: 2 });
  expect(await replayed(dir)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
});

it("skips a line that a full disk cut off, and keeps the lines after it", async () => {
  const dir = folder();
  writeFileSync(join(dir, "replies.spool"), '{"n":0}\n{"n":');
  const spool = openSpool<{ n: number }>(dir, "replies");
  spool.append({ n: 2 });
  appendFileSync(join(dir, "replies.spool"), '{"n":3');
  expect(await replayed(dir)).toEqual([{ n: 0 }, { n: 2 }]);
});
