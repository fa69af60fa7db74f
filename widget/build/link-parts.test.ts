import { describe, expect, it } from "vitest";
import { linked } from "./link-parts.ts";

/** The `data:` address of a chunk, so that a test can run linked chunks as modules. */
const address = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

describe("a linked panel and its parts", () => {
  it("runs a part with the exports of the running panel, without importing the panel by name", async () => {
    const part = linked(
      "assets/menu-12345678.js",
      'import { a as count, start } from "./panel-12345678.js";\nfunction Menu() {\n  return ++count.value;\n}\nexport { Menu };\n',
    );
    expect(part).not.toContain("panel-");
    const panel = linked(
      "assets/panel-12345678.js",
      `let count = { value: 1 };\nfunction start() {\n  return import("${address(part)}");\n}\nexport { count as a, start };\n`,
    );
    const { start, ...others } = await import(/* @vite-ignore */ address(panel));
    expect(others).toEqual({});
    const { Menu } = await start();
    expect([Menu(), Menu()]).toEqual([2, 3]);
  });

  it("runs a part once, however often it is fetched", async () => {
    const part = linked(
      "assets/menu-12345678.js",
      'import { start } from "./panel-12345678.js";\nconst made = {};\nexport { made };',
    );
    const panel = linked(
      "assets/panel-12345678.js",
      `function start() {\n  return import("${address(part)}");\n}\nexport { start };`,
    );
    const { start } = await import(/* @vite-ignore */ address(panel));
    expect((await start()).made).toBe((await start()).made);
  });

  it("fetches a part under another address when the first fetch failed", async () => {
    const panel = linked(
      "assets/panel-12345678.js",
      'const start = () => import("./menu-12345678.js");\nexport { start };',
    );
    expect(panel).toContain('import(path + "?" + Math.random())');
    expect(panel).not.toMatch(/import\("\.\/menu/);
  });

  it("does not change an address that is computed at run time", () => {
    const code = "const start = (path) => import(path);\nexport { start };";
    expect(linked("assets/teaser-12345678.js", code)).toBe(code);
  });

  it("passes the panel's exports on to the parts of a part", async () => {
    const inner = linked(
      "assets/inner-12345678.js",
      'import { h as h$1 } from "./panel-12345678.js";\nconst made = h$1;\nexport { made };',
    );
    const outer = linked(
      "assets/outer-12345678.js",
      `const load = () => import("${address(inner)}");\nexport { load };`,
    );
    const panel = linked(
      "assets/panel-12345678.js",
      `const h = "shared";\nconst start = () => import("${address(outer)}");\nexport { h, start };`,
    );
    const { start } = await import(/* @vite-ignore */ address(panel));
    expect((await (await start()).load()).made).toBe("shared");
  });

  it("refuses an unknown form of import or export", () => {
    expect(() => linked("assets/a-12345678.js", 'import * as all from "./panel-12345678.js";')).toThrow("imports all");
    expect(() => linked("assets/a-12345678.js", "export default 1;")).toThrow("not expected");
    expect(() => linked("assets/a-12345678.js", 'export * from "./b.js";')).toThrow("not expected");
  });

  it.each([
    ["assets/panel-12345678.js", "function shared() {}\nfunction start() {}\nexport { start };"],
    ["assets/menu-12345678.js", 'import { a as shared } from "./panel-12345678.js";\nexport { shared };'],
    [
      "assets/menu-12345678.js",
      "const { made } = {};\nconst f = () => import('./a-12345678.js');\nexport { made, f };",
    ],
    [
      "assets/menu-12345678.js",
      "class fetchPart {}\nconst f = () => import('./a-12345678.js');\nexport { fetchPart, f };",
    ],
  ])("refuses a reserved name at the top level of %s", (name, code) => {
    expect(() => linked(name, code)).toThrow("a name that linking needs");
  });
});
