import { signal } from "@preact/signals-core";
import { expect, it, vi } from "vitest";
import type { Language } from "../../text/i18n.ts";
import { createLateParts, tryAgain } from "./late-parts.ts";

const language = (loadRare = async (): Promise<void> => {}) => signal({ loadRare } as unknown as Language);

it("passes the code on once its texts have also loaded", async () => {
  const order: string[] = [];
  const parts = createLateParts(language(async () => void order.push("words")));
  await parts.part(
    async () => "code",
    (code) => order.push(code),
  );
  expect([order, parts.wasUsed(), parts.missing.value]).toEqual([["words", "code"], true, []]);
});

it("remembers a failed fetch, and repeats it on request", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const parts = createLateParts(language());
  const used = vi.fn();
  let isDown = true;
  await parts.part(async () => (isDown ? Promise.reject(new Error("offline")) : "code"), used);
  expect([parts.missing.value.length, used.mock.calls]).toEqual([1, []]);
  isDown = false;
  tryAgain(parts);
  await expect.poll(() => used.mock.calls).toEqual([["code"]]);
  expect(parts.missing.value).toEqual([]);
});

it("repeats the failed fetches when another one succeeds", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const parts = createLateParts(language());
  const used = vi.fn();
  let isDown = true;
  await parts.part(async () => (isDown ? Promise.reject(new Error("offline")) : "first"), used);
  isDown = false;
  await parts.part(async () => "second", used);
  await expect.poll(() => used.mock.calls.flat()).toEqual(["second", "first"]);
});

it("does not report a quiet fetch that failed", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const parts = createLateParts(language());
  await parts.part(() => Promise.reject(new Error("offline")), vi.fn(), true);
  expect(parts.missing.value).toEqual([]);
});
