import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { keepBuild } from "./builds.ts";

const DAY = 24 * 3_600_000;
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "builds-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Starts a relay on a day with a build of these files. @returns the kept files of former builds */
function start(day: number, ...names: string[]): string[] {
  const build = join(root, "build");
  rmSync(build, { recursive: true, force: true });
  mkdirSync(build);
  for (const name of [...names, "panel-1.js.gz"]) writeFileSync(join(build, name), `the file ${name}`);
  return [...keepBuild({ build, folder: join(root, "kept"), now: day * DAY })].toSorted();
}

it("has no files of former builds at the first start, nor after a restart with the same build", () => {
  expect(start(1, "panel-a.js", "emoji-a.js")).toEqual([]);
  expect(start(2, "panel-a.js", "emoji-a.js")).toEqual([]);
});

it("keeps a build's files for 30 days after it was replaced, however long it was in use", () => {
  start(1, "panel-a.js", "emoji-a.js");
  expect(start(100, "panel-b.js", "emoji-a.js")).toEqual(["panel-a.js"]);
  expect(start(115, "panel-c.js", "emoji-a.js")).toEqual(["panel-a.js", "panel-b.js"]);
  expect(start(130, "panel-c.js", "emoji-a.js")).toEqual(["panel-a.js", "panel-b.js"]);
  expect(start(131, "panel-c.js", "emoji-a.js")).toEqual(["panel-b.js"]);
  expect(start(146, "panel-c.js", "emoji-a.js")).toEqual([]);
  expect(readdirSync(join(root, "kept")).toSorted()).toEqual(["emoji-a.js", "panel-c.js", "retired.json"]);
});

it("starts the 30 days again for a build that returned and was replaced again", () => {
  start(1, "panel-a.js");
  start(2, "panel-b.js");
  expect(start(20, "panel-a.js")).toEqual(["panel-b.js"]);
  expect(start(31, "panel-b.js")).toEqual(["panel-a.js"]);
  expect(start(60, "panel-b.js")).toEqual(["panel-a.js"]);
});

it("keeps the newest files when there is no room for all", () => {
  start(1, "panel-a.js");
  start(2, "panel-b.js");
  start(3, "panel-c.js");
  truncateSync(join(root, "kept", "panel-a.js"), 30 * 1024 * 1024);
  truncateSync(join(root, "kept", "panel-b.js"), 30 * 1024 * 1024);
  expect(start(4, "panel-c.js")).toEqual(["panel-b.js"]);
});

it("keeps all files for 30 more days when the record of dates is damaged, and ignores what an interrupted start left", () => {
  start(1, "panel-a.js");
  start(2, "panel-b.js");
  writeFileSync(join(root, "kept", "retired.json"), '{"panel-a.');
  writeFileSync(join(root, "kept", "panel-x.js.part"), "half");
  expect(start(30, "panel-b.js")).toEqual(["panel-a.js"]);
  expect(start(60, "panel-b.js")).toEqual(["panel-a.js"]);
});
