import { expect, it } from "vitest";
import { withCode } from "../base/with-code.ts";
import { brief, lineText, table, wholeAddress } from "./html.ts";

it("shows counts with separators in a column that is aligned to the right, and marks empty cells", () => {
  const shown = String(
    table(
      "Chats",
      ["Who", "Messages"],
      [
        ["Ada", 1_234_567],
        ["", 0],
        [null, 3],
      ],
      "None",
    ),
  );
  expect(shown).toContain('<th scope="col" class="number">Messages</th>');
  expect(shown).toContain('<span class="number">1,234,567</span>');
  expect(shown).toContain('<span class="number">0</span>');
  expect(shown.match(/<td class="none" data-label="Who">–<\/td>/g)).toHaveLength(2);
});

it("leaves out cells without a heading, such as the site where there is only one", () => {
  const shown = String(table("Chats", ["Who"], [["Ada", "default"]], "None"));
  expect(shown).toContain("Ada");
  expect(shown).not.toContain("default");
});

it("escapes texts, and shows code between backticks", () => {
  expect(String(lineText('<b>"'))).toBe('<span class="line" dir="auto" title="&lt;b&gt;&quot;">&lt;b&gt;&quot;</span>');
  expect(String(withCode("run `porchlight <x>` now"))).toBe("run <code>porchlight &lt;x&gt;</code> now");
});

it("cuts a text at a grapheme border, so that no emoji and no accent is split", () => {
  const family = "👩‍👩‍👧";
  expect([brief("Lamp", 4), brief("Lamps", 4)]).toEqual(["Lamp", "Lam…"]);
  expect(brief(`Hi ${family}!`, 6)).toBe("Hi …");
  expect(brief("Cafe\u0301 in Oslo", 5)).toBe("Caf…");
});

it("offers a line break after the @ of an address, and escapes it", () => {
  expect(String(wholeAddress("<client>@example.com"))).toContain(">&lt;client&gt;@<wbr>example.com<");
});
