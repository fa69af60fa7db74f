import { expect, it } from "vitest";
import { availableMemory, chatsFor } from "./chat-capacity.ts";

const MIB = 1024 * 1024;

it("takes the memory of the container, and the machine's where there is no limit", () => {
  expect(availableMemory(512 * MIB, 8_192 * MIB)).toBe(512 * MIB);
  expect(availableMemory(0, 8_192 * MIB)).toBe(8_192 * MIB);
  // What version 1 of control groups reports without a limit.
  expect(availableMemory(0x7ffffffffffff000, 8_192 * MIB)).toBe(8_192 * MIB);
});

it("gives fewer chats to a relay with less memory, between 500 and 20,000", () => {
  const chats = [128, 512, 1_024, 2_048, 65_536].map((megabytes) => chatsFor(megabytes * MIB));
  expect(chats).toEqual([500, 8_100, 19_100, 20_000, 20_000]);
});
