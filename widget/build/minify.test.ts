import { describe, expect, it } from "vitest";
import { minified } from "./minify.ts";

describe("the minifier", () => {
  it("renames private members of the libraries, and no others", async () => {
    const code = await minified("export const f = (node) => ({ _children: node._children, children: node.children });");
    expect(code).not.toContain("_children");
    expect(code.match(/\bchildren/g)).toHaveLength(2);
  });

  it("does not rename __proto__", async () => {
    expect(await minified("export const bare = () => ({ __proto__: null });")).toContain("__proto__");
  });

  it("keeps a property that is read only for its effect, like a signal's value", async () => {
    expect(await minified("export const read = (signal) => { signal.value; };")).toContain(".value");
  });

  it("writes the loader's placeholder in double quotes, below its first line", async () => {
    const code = await minified("run('__PORCHLIGHT__')", {
      format: { quote_style: 2, preamble: "//# first" },
    });
    expect(code).toBe('//# first\nrun("__PORCHLIGHT__");');
  });
});
