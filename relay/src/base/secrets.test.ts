import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadSecrets, readSecrets } from "./secrets.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "porchlight-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("keeps the generated secrets, and adds one that an older file lacks", () => {
  const first = loadSecrets(folder);
  expect(loadSecrets(folder)).toEqual(first);
  writeFileSync(join(folder, "secrets.json"), JSON.stringify({ signing: first.signing, callback: first.callback }));
  const again = loadSecrets(folder);
  expect(again).toMatchObject({ signing: first.signing, callback: first.callback });
  expect(readSecrets(folder)).toEqual(again);
});

it.each(['{"signing": "a-secret', "", "null"])(
  "names the file when it is damaged, and quotes nothing of it: %j",
  (text) => {
    writeFileSync(join(folder, "secrets.json"), text);
    for (const read of [loadSecrets, readSecrets])
      expect(() => read(folder)).toThrow(/^DATA_DIR: \S+secrets\.json is damaged; restore it from the newest backup$/);
  },
);
