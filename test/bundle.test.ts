import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";

const dist = join(import.meta.dirname, "..", "widget", "dist");
const files = readdirSync(dist, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".js"))
  .map((name) => ({ name, text: readFileSync(join(dist, name), "utf8") }));

const KB = 1_024;
const zipped = (text: string): number => gzipSync(text, { level: 9 }).length;

/** The kind of a built file. A language's file is named by its tag and the version of all texts. */
const kindOf = (name: string): "loader" | "panel" | "language" | "other" => {
  if (name === "loader.js") return "loader";
  if (/^assets.panel-/.test(name)) return "panel";
  const [, tag] = /^assets.([\w-]+)-[\w-]{8}\.js$/.exec(name) ?? [];
  return languages.has(tag ?? "") ? "language" : "other";
};
const languages = new Set(
  readdirSync(join(import.meta.dirname, "..", "widget", "src", "locales")).flatMap(
    (name) => /^(?!en\b)([\w-]+)\.ts$/.exec(name)?.[1] ?? [],
  ),
);
const sizesOf = (kind: string): [name: string, bytes: number][] =>
  files.filter(({ name }) => kindOf(name) === kind).map(({ name, text }) => [name, zipped(text)]);

describe("the built widget", () => {
  it.each([
    ["loader", 4 * KB],
    ["panel", 32 * KB],
    ["language", 2 * KB],
    ["other", 8 * KB],
  ])("leaves 5 % of the bound of every %s file free: %i bytes, gzip", (kind, bound) => {
    const sizes = sizesOf(kind);
    expect(sizes).not.toEqual([]);
    expect(sizes.filter(([, bytes]) => bytes > 0.95 * bound)).toEqual([]);
  });

  it("consists of one file for the tag, one for an open chat, and one for each language", () => {
    expect([sizesOf("loader").length, sizesOf("panel").length]).toEqual([1, 1]);
    expect(sizesOf("language").length).toBe(languages.size);
    expect(languages.size).toBeGreaterThan(40);
  });

  it("lets Chromium compile the whole loader and panel while it receives them", () => {
    const scripts = files.filter(({ name }) => ["loader", "panel"].includes(kindOf(name)));
    expect(scripts.map(({ text }) => text.split("\n")[0])).toEqual(Array(2).fill("//# allFunctionsCalledOnLoad"));
  });

  it("needs only the panel for an open chat in English", () => {
    const panel = files.find(({ name }) => kindOf(name) === "panel");
    expect(panel?.text.match(/\b(import|from)\s*["'`]/g)).toBeNull();
  });

  it("never turns text into markup or code", () => {
    const sinks =
      /\b(innerHTML|outerHTML|insertAdjacentHTML)\b\s*=[^=]|insertAdjacentHTML|document\.write|\beval\(|new Function\b/;
    expect(files.filter(({ text }) => sinks.test(text)).map(({ name }) => name)).toEqual([]);
  });

  it("names no other host, and no file that it does not contain", () => {
    const addresses = files.flatMap(({ text }) => text.match(/https?:\/\/[\w.-]+/g) ?? []);
    expect(addresses.filter((address) => address !== "http://www.w3.org")).toEqual([]);
    expect(files.filter(({ text }) => text.includes("sourceMappingURL")).map(({ name }) => name)).toEqual([]);
  });
});
