// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { drawn, type Stage, stage } from "../base/ui.fixture.ts";
import { Bar } from "./connection-bar.tsx";

let on: Stage;
beforeEach(async () => {
  on = await stage();
});
afterEach(() => on.stop());

const bar = (): string | null | undefined => on.root.querySelector(".bar")?.textContent;

it("says that the visitor is offline rather than that something could not be fetched", async () => {
  on.show(Bar);
  on.ui.missing.value = [vi.fn()];
  await expect.poll(bar).toMatch(/Retry$/);
  on.chat.link.value = "offline";
  await drawn();
  expect(bar()).toMatch(/offline/);
  expect(bar()).not.toMatch(/Retry/);
});

it("keeps its text during the short retries of a page without a network, and says it once", async () => {
  const said = vi.spyOn(on.ui.announcer, "status");
  const seen: unknown[] = [];
  on.show(Bar);
  for (let retry = 0; retry < 3; retry++) {
    on.chat.link.value = "offline";
    await drawn();
    seen.push(bar());
    on.chat.link.value = "connecting";
    await drawn();
    seen.push(bar());
  }
  expect(new Set(seen)).toEqual(new Set([on.ui.t("offline")]));
  expect(said.mock.calls).toEqual([[on.ui.t("offline")]]);
  on.chat.link.value = "online";
  await drawn();
  expect(bar()).toBeUndefined();
  expect(said).toHaveBeenLastCalledWith(on.ui.t("online"));
});

it("says that it connects once an attempt without a network lasts", async () => {
  on.show(Bar);
  on.chat.link.value = "offline";
  await drawn();
  vi.useFakeTimers();
  try {
    on.chat.link.value = "connecting";
    await vi.advanceTimersByTimeAsync(2_900);
    expect(bar()).toBe(on.ui.t("offline"));
    await vi.advanceTimersByTimeAsync(200);
    expect(bar()).toBe(on.ui.t("connecting"));
  } finally {
    vi.useRealTimers();
  }
});
