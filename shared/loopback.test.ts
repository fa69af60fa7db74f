import { describe, expect, it } from "vitest";
import { isLoopback, isLoopbackUrl } from "./loopback.ts";

describe("isLoopback", () => {
  it.each(["localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "::1", "[::1]", "::ffff:127.0.0.1"])(
    "accepts %s",
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );

  it.each([
    "127.evil.com",
    "127.0.0.1.evil.com",
    "localhost.evil.com",
    "evil-localhost",
    "128.0.0.1",
    "::2",
    "127",
    "",
  ])("refuses %s", (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});

describe("isLoopbackUrl", () => {
  it("reads the host of the address as the platform writes it", () => {
    const loopback = ["http://localhost:8787/x", "http://127.1/", "ws://[::1]:80", "http://[::ffff:127.0.0.1]/"];
    expect(loopback.filter((address) => !isLoopbackUrl(address))).toEqual([]);
  });

  it("refuses names that only begin like a loopback name, and texts that are not an address", () => {
    const others = ["http://127.evil.com", "https://localhost.evil.com", "http://user@evil.com:127", "localhost", ""];
    expect(others.filter(isLoopbackUrl)).toEqual([]);
  });
});
