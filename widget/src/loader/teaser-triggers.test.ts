// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { isOnPage, watchTriggers } from "./teaser-triggers.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Watches for triggers with all conditions met. */
const watch = (settings: Parameters<typeof watchTriggers>[0], run: () => void): void =>
  watchTriggers(settings, () => {
    run();
    return true;
  });

const leave = (): boolean => dispatchEvent(new MouseEvent("mouseout", { clientY: -1 }));

it("shows after eight seconds, or after the seconds that the site sets", () => {
  const [plain, later] = [vi.fn(), vi.fn()];
  watch({}, plain);
  watch({ teaserAfter: "20" }, later);
  vi.advanceTimersByTime(8_000);
  expect([plain.mock.calls.length, later.mock.calls.length]).toEqual([1, 0]);
  vi.advanceTimersByTime(12_000);
  expect(later).toHaveBeenCalledTimes(1);
});

it("shows once when the pointer leaves the page at its top, and then not after a time", () => {
  const run = vi.fn();
  watch({ teaserExit: true }, run);
  vi.advanceTimersByTime(60_000);
  expect(run).not.toHaveBeenCalled();
  leave();
  leave();
  expect(run).toHaveBeenCalledTimes(1);
});

it("shows at the scroll depth that the site sets", () => {
  const run = vi.fn();
  const page = document.documentElement;
  Object.defineProperties(page, {
    scrollHeight: { value: 2_000, configurable: true },
    clientHeight: { value: 1_000, configurable: true },
  });
  watch({ teaserScroll: 50 }, run);
  page.scrollTop = 400;
  dispatchEvent(new Event("scroll"));
  expect(run).not.toHaveBeenCalled();
  page.scrollTop = 500;
  dispatchEvent(new Event("scroll"));
  expect(run).toHaveBeenCalledTimes(1);
});

it("shows only on the pages that the site lists", () => {
  expect([isOnPage("/a", undefined), isOnPage("/a", "/a|/b"), isOnPage("/c", ["/a", "/b"])]).toEqual([
    true,
    true,
    false,
  ]);
  expect([isOnPage("/shop/lamps", "/shop/*"), isOnPage("/shops", "/shop/*")]).toEqual([true, false]);
});

it("checks the conditions every second until the teaser was shown", () => {
  const run = vi.fn(() => false);
  watchTriggers({}, run);
  vi.advanceTimersByTime(10_000);
  expect(run).toHaveBeenCalledTimes(3);
  run.mockReturnValue(true);
  vi.advanceTimersByTime(60_000);
  expect(run).toHaveBeenCalledTimes(4);
  expect(vi.getTimerCount()).toBe(0);
});
