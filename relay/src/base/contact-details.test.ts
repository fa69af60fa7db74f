import { describe, expect, it } from "vitest";
import { readContactDetails } from "./contact-details.ts";

const emailOf = (email: string): unknown => {
  const details = readContactDetails({ email }, undefined);
  return typeof details === "string" ? details : details.email;
};

describe("a mail address in a form (A40)", () => {
  it("is accepted when it is one address, with its domain in lower case", () => {
    expect(emailOf(" Ann.O'Neil+shop@Mail.Example.COM ")).toBe("Ann.O'Neil+shop@mail.example.com");
    expect(emailOf("ünal@bücher.example")).toBe("ünal@bücher.example");
  });

  it.each([
    "ann",
    "ann@example",
    "@example.com",
    "ann@",
    "ann@@example.com",
    "ann@example..com",
    "ann@.example.com",
    "a@b.example,c@d.example",
    "a@b.example;c@d.example",
    "a@b.example c@d.example",
    "Ann <a@b.example>",
    "a@b.example(comment)",
    '"a b"@c.example',
    "a@[192.0.2.1]",
    "group:a@b.example",
    "a\\@b@c.example",
  ])("is refused when mail programs may read no address or several in it: %s", (email) => {
    expect(emailOf(email)).toBe("invalid_email");
  });

  it.each(["\r\nBcc: c@d.example", "\nc@d.example", "\0c@d.example"])(
    "is refused when a line or another address follows: %j",
    (more) => {
      expect(emailOf(`a@b.example${more}`)).toBe("invalid_email");
    },
  );

  it("is refused above 254 characters (RFC 5321)", () => {
    const of = (length: number): string => `${"a".repeat(length - 10)}@b.example`;
    expect([emailOf(of(254)), emailOf(of(255))]).toEqual([of(254), "invalid_email"]);
  });
});
