import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { corpus } from "../../../test/corpora.ts";
import { displayName, disposition } from "./names.ts";
import { typeOf } from "./types.ts";

const png = typeOf("image/png");
const jpeg = typeOf("image/jpeg");
const OWN = [
  "../../etc/passwd",
  "..\\..\\windows\\win.ini",
  "a\r\nContent-Type: text/html\r\n\r\n<script>.png",
  'a";filename="x.html',
  "a\u202egnp.html",
  "CON.png",
  "",
  "..",
  " ",
  "💣.png",
  "\ud800.png",
  `${"x".repeat(300)}.png`,
];

function hostileNames(): string[] {
  const file = corpus("filenames/hostile-filenames.json");
  return existsSync(file) ? [...OWN, ...(JSON.parse(readFileSync(file, "utf8")) as string[])] : OWN;
}

describe("a file's name", () => {
  it("stays unchanged when it is harmless", () => {
    expect(displayName("Отпуск 2026.png", png)).toBe("Отпуск 2026.png");
    expect(displayName("Photo (1).JPEG", jpeg)).toBe("Photo (1).JPEG");
    expect(displayName("naïve café 💡.png", png)).toBe("naïve café 💡.png");
  });

  it("gets the extension of its detected type, whatever the sender says", () => {
    expect(displayName("invoice.html", png)).toBe("invoice.html.png");
    expect(displayName("photo.png", jpeg)).toBe("photo.png.jpg");
    expect(displayName("a\u202egnp.html", png)).toBe("agnp.html.png");
  });

  it("is the last part of a path, and never empty", () => {
    expect(displayName("../../etc/passwd", png)).toBe("passwd.png");
    expect(displayName("C:\\Users\\me\\x.png", png)).toBe("x.png");
    expect(["", ".", "..", " ", "\u200b"].map((name) => displayName(name, png))).toEqual(
      new Array(5).fill("image.png"),
    );
  });

  it("loses everything that misleads people or programs, for every known hostile name", () => {
    for (const given of hostileNames()) {
      const name = displayName(given, png);
      expect(name).toMatch(/^(?!con\.|nul\.)[^\p{Cc}\p{Cf}<>:"|?*\\/`$&;{}%]+\.png$/iu);
      expect(name.length).toBeLessThanOrEqual(120);
      expect(name.isWellFormed()).toBe(true);
      expect(name).not.toMatch(/^[.-]/);
    }
  });

  it("makes a valid header with the full name, for every known hostile name", () => {
    for (const given of hostileNames()) {
      const name = displayName(given, png);
      const header = disposition("inline", name);
      const [, plain, full] =
        /^inline; filename="([\w.\- ]+)"; filename\*=UTF-8''([\w.~!#$&+^`|%-]+)$/.exec(header) ?? [];
      expect(plain).toBeDefined();
      expect(decodeURIComponent(full ?? "")).toBe(name);
      expect(new Headers({ "Content-Disposition": header }).get("content-disposition")).toBe(header);
    }
  });
});
