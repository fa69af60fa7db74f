import { expect, it } from "vitest";
import { randomId } from "./id.ts";

it("ids use only characters that are safe in columns and addresses, and differ", () => {
  const ids = Array.from({ length: 1_000 }, () => randomId());
  for (const id of ids) expect(id).toMatch(/^[0-9a-z]{26}$/);
  expect(new Set(ids).size).toBe(1_000);
});
