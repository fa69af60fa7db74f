import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PAGE_COLOURS } from "../../relay/src/base/page-colours.ts";

const SNIPPET = readFileSync(join(import.meta.dirname, "../../widget/src/tag-page/snippet.css"), "utf8");
/** The colours of the relay's pages, and their names on the page of the tag, which differ for two of them. */
const NAMES = {
  "--ink": "--ink",
  "--soft": "--ink-2",
  "--ground": "--paper",
  "--line": "--line",
  "--accent": "--accent",
};

it("the page of the tag has the colours of the relay's other pages, light and dark", () => {
  for (const [name, own] of Object.entries(NAMES)) {
    const [light, dark] = [...PAGE_COLOURS.matchAll(new RegExp(`${name}: (#\\w+);`, "g"))].map(([, colour]) => colour);
    expect(SNIPPET).toContain(`${own}: light-dark(${light}, ${dark});`);
  }
});
