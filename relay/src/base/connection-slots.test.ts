import { expect, it } from "vitest";
import { type ConnectionSlots, createConnectionSlots, SLOT_USES_PER_MINUTE } from "./connection-slots.ts";

const take = (slots: ConnectionSlots, address: string, count: number): number =>
  Array.from({ length: count }, () => slots.take(address)).filter((release) => release !== undefined).length;

it("limits the slots of an address, and lets it reuse released ones", () => {
  const slots = createConnectionSlots({ perAddress: 3, total: 0 });
  const release = slots.take("a");
  expect(take(slots, "a", 10)).toBe(2);
  expect(take(slots, "b", 10)).toBe(3);
  release?.();
  release?.();
  expect(take(slots, "a", 10)).toBe(1);
});

it("reserves the last tenth of all slots for addresses that have none", () => {
  const slots = createConnectionSlots({ perAddress: 1_000, total: 100 });
  expect(take(slots, "flood", 1_000)).toBe(90);
  expect(take(slots, "second", 5)).toBe(1);
  const honest = Array.from({ length: 20 }, (_, n) => take(slots, `honest ${n}`, 1));
  expect(honest.filter((count) => count === 1)).toHaveLength(9);
  expect(slots.taken()).toBe(100);
});

it("leaves half of all slots, and the last tenth, to others when a customer has a whole /48 of IPv6 (A26)", () => {
  const slots = createConnectionSlots({ perAddress: 10, total: 100 });
  const flood = (network: number, count: number): number =>
    Array.from({ length: count }, (_, n) => take(slots, `2001:db8:${network}:${n.toString(16)}::/64`, 1)).filter(
      (taken) => taken === 1,
    ).length;
  expect([flood(1, 100), flood(2, 100), flood(1, 100)]).toEqual([50, 40, 0]);
  const release = slots.take("2001:db8:3:1::/64");
  expect([take(slots, "192.0.2.1", 1), take(slots, "2001:db8:3:2::/64", 1)]).toEqual([1, 0]);
  release?.();
  expect(take(slots, "2001:db8:3:2::/64", 1)).toBe(1);
});

it("has no limit per /48 where clients share the address of a proxy", () => {
  expect(take(createConnectionSlots({ perAddress: 0, total: 100 }), "2001:db8:1:1::/64", 100)).toBe(90);
});

it("limits how often an address takes a slot in a minute, also when it gives each back at once", () => {
  let now = 0;
  const slots = createConnectionSlots({ perAddress: 10, total: 0, uptime: () => now });
  const reconnect = (address: string): boolean => {
    const release = slots.take(address);
    release?.();
    return release !== undefined;
  };
  const served = (address: string): number =>
    Array.from({ length: 100 }, () => reconnect(address)).filter(Boolean).length;
  expect(served("flood")).toBe(10 * SLOT_USES_PER_MINUTE);
  expect(served("other")).toBe(10 * SLOT_USES_PER_MINUTE);
  now = 30_000;
  expect(served("flood")).toBe((10 * SLOT_USES_PER_MINUTE) / 2);
});

it("does not limit when the setting is 0", () => {
  expect(take(createConnectionSlots({ perAddress: 0, total: 0, uptime: () => 0 }), "a", 10_000)).toBe(10_000);
});
