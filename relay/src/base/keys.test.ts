import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Account } from "./config.ts";
import { createKeys } from "./keys.ts";

let folder: string;
const fileOf = (id: string): string => join(folder, id);
const accountOf = (id: string): Account => ({
  id,
  url: "https://service.example/v1",
  rate: 60,
  key: { file: fileOf(id) },
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keys-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("reads new keys from their files, and keeps former keys for masking", () => {
  writeFileSync(fileOf("main"), "old\n");
  const keys = createKeys([accountOf("main")]);
  expect([keys.of("main"), keys.of("other"), keys.reload()]).toEqual(["old", "", false]);
  writeFileSync(fileOf("main"), "new\n");
  expect([keys.reload(), keys.of("main"), keys.reload()]).toEqual([true, "new", false]);
  expect(keys.all()).toEqual(["old", "new"]);
});

it("keeps a key whose file cannot be read, and takes the new keys of all other accounts", () => {
  for (const id of ["first", "broken", "last"]) writeFileSync(fileOf(id), `old ${id}`);
  const keys = createKeys(["first", "broken", "last"].map(accountOf));
  for (const id of ["first", "last"]) writeFileSync(fileOf(id), `new ${id}`);
  rmSync(fileOf("broken"));
  expect(() => keys.reload()).toThrow(/the key of account broken cannot be read .*ENOENT/);
  expect(["first", "broken", "last"].map(keys.of)).toEqual(["new first", "old broken", "new last"]);
  expect(() => createKeys([accountOf("broken")])).toThrow(/cannot be read/);
});

it("keeps a key while its file is empty, because another program is writing it", () => {
  writeFileSync(fileOf("main"), "old\n");
  const keys = createKeys([accountOf("main")]);
  writeFileSync(fileOf("main"), "\n");
  expect(() => keys.reload()).toThrow(/the key of account main is missing, .* is empty/);
  expect([keys.of("main"), keys.all()]).toEqual(["old", ["old"]]);
  expect(() => createKeys([accountOf("main")])).toThrow(/is empty/);
});
