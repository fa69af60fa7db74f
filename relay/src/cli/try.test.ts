import { expect, it } from "vitest";
import { reachedAs } from "./try.ts";

it.each([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "[::1]"],
  ["2001:db8::7", "[2001:db8::7]"],
  ["192.0.2.7", "192.0.2.7"],
  ["localhost", "localhost"],
])("reaches a relay that listens on %s at %s", (host, near) => {
  expect(reachedAs(host)).toBe(near);
  expect(URL.canParse(`ws://${reachedAs(host)}:8787/socket`)).toBe(true);
});
