import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";

const dist = join(import.meta.dirname, "..", "widget", "dist");
const files = readdirSync(dist, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".js"))
  .map((name) => ({ name, text: readFileSync(join(dist, name), "utf8") }));

const zipped = (texts: string[]): number => texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);

describe("the built widget", () => {
  it("has a loader of at most 4 kB and a chat of at most 35 kB, gzip", () => {
    const loader = files.filter(({ name }) => name === "loader.js").map(({ text }) => text);
    const chat = files.filter(({ name }) => /panel/.test(name)).map(({ text }) => text);
    expect([loader.length, chat.length]).toEqual([1, 1]);
    expect(zipped(loader)).toBeLessThanOrEqual(4_096);
    expect(zipped(chat)).toBeLessThanOrEqual(35 * 1_024);
  });

  it("never turns text into markup or code", () => {
    const sinks =
      /\b(innerHTML|outerHTML|insertAdjacentHTML)\b\s*=[^=]|insertAdjacentHTML|document\.write|\beval\(|new Function\b/;
    expect(files.filter(({ text }) => sinks.test(text)).map(({ name }) => name)).toEqual([]);
  });

  it("names no other host, and no file that it does not bring", () => {
    const addresses = files.flatMap(({ text }) => text.match(/https?:\/\/[\w.-]+/g) ?? []);
    expect(addresses.filter((address) => address !== "http://www.w3.org")).toEqual([]);
    expect(files.filter(({ text }) => text.includes("sourceMappingURL")).map(({ name }) => name)).toEqual([]);
  });
});
