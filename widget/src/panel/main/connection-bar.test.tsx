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
  await vi.waitFor(() => expect(bar()).toMatch(/Retry$/));
  on.chat.link.value = "offline";
  await drawn();
  expect(bar()).toMatch(/offline/);
  expect(bar()).not.toMatch(/Retry/);
});
