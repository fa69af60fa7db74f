import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "porchlight-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** SHA-256 of every file below a folder, by its path. */
function hashesOf(place: string): Record<string, string> {
  const files = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  const hash = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
  return Object.fromEntries(paths.map((path) => [path.slice(place.length), hash(path)]));
}

it("builds the same bytes twice", { timeout: 600_000 }, () => {
  const builds = ["one", "two"].map((name) => {
    const out = join(folder, name);
    const build = ["build", "widget", "--outDir", out, "--logLevel", "warn"];
    execFileSync(join(ROOT, "node_modules", ".bin", "vite"), build, { cwd: ROOT });
    return hashesOf(out);
  });
  expect(Object.keys(builds[0] ?? {}).length).toBeGreaterThan(10);
  expect(builds[0]).toEqual(builds[1]);
});

it("makes a production folder below 150 MB, from which the relay runs", () => {
  const place = join(folder, "release");
  execFileSync(process.execPath, [join(ROOT, "relay", "deploy", "release.ts"), place], { cwd: ROOT });
  const kilobytes = Number(execFileSync("du", ["-sk", place]).toString().split("\t")[0]);
  expect(kilobytes).toBeLessThan(150 * 1024);
  const version = execFileSync(process.execPath, [join(place, "relay", "src", "cli.ts"), "--version"], { cwd: folder });
  expect(version.toString()).toMatch(/^porchlight \d/);
  const settings = {
    SERVICE_URL: "http://localhost:9/v1",
    SERVICE_API_KEY: "k",
    PORT: "0",
    DATA_DIR: join(folder, "d"),
  };
  mkdirSync(join(folder, "d"));
  const script = `import("${join(place, "relay/src/relay.ts")}").then(async ({ createRelay }) => {
    const { readSettings } = await import("${join(place, "relay/src/base/config.ts")}");
    const relay = await createRelay(readSettings(process.env).settings);
    const { status } = await fetch(relay.url + "/widget.js");
    await relay.stop();
    console.log("widget.js " + status);
  });`;
  const output = execFileSync(process.execPath, ["-e", script], { cwd: folder, env: { ...process.env, ...settings } });
  expect(output.toString()).toContain("widget.js 200");
});

describe("npm run tag", () => {
  const PACKAGES = ["package.json", "relay/package.json", "widget/package.json", "shared/package.json"];
  const place = join(folder, "tagged");
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: place, encoding: "utf8" }).trim();
  const tag = (...args: string[]): string =>
    execFileSync("npm", ["run", "tag", "--", "7.1.0", "--ci", ...args], { cwd: place, encoding: "utf8" });
  const read = (name: string): string => readFileSync(join(place, name), "utf8");

  /** A repository with one commit: the packages, the changelog and the tool's settings. */
  beforeAll(() => {
    for (const name of [...PACKAGES, "CHANGELOG.md", ".release-it.json", ".npmrc"])
      cpSync(join(ROOT, name), join(place, name));
    git("init", "--quiet", "--initial-branch", "main");
    for (const key of ["user.name", "user.email"]) git("config", key, "test@example.com");
    git("add", "--all");
    git("commit", "--quiet", "--message", "All");
  });

  it("changes nothing in a dry run", { timeout: 600_000 }, () => {
    expect(tag("--dry-run")).toContain("7.1.0");
    expect([git("status", "--short"), git("tag"), git("rev-list", "--count", "HEAD")]).toEqual(["", "", "1"]);
  });

  it("sets the version of every package, gives the changes their heading, and tags one commit", {
    timeout: 600_000,
  }, () => {
    const before = PACKAGES.map(read);
    tag();
    for (const [n, name] of PACKAGES.entries())
      expect(read(name)).toBe(before[n]?.replace(/"version": "[^"]+"/, '"version": "7.1.0"'));
    expect(read("CHANGELOG.md")).toMatch(/\n## \[Unreleased\]\n\n## \[7\.1\.0\] - \d{4}-\d\d-\d\d\n\n### Added\n/);
    expect([git("status", "--short"), git("describe"), git("log", "--format=%s", "-1")]).toEqual([
      "",
      "v7.1.0",
      "Release 7.1.0",
    ]);
  });
});
