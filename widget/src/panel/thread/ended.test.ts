// @vitest-environment happy-dom
import { expect, it, vi } from "vitest";
import { drawn, stage } from "../base/ui.fixture.ts";
import { Panel } from "../main/panel.tsx";
import type { Ended } from "./ended.tsx";

/** A fresh copy of the module: the shared one may have warned already in another test file of this process. */
const fresh = async (): Promise<typeof Ended> => {
  const path = "./ended.tsx?fresh";
  return ((await import(path)) as { Ended: typeof Ended }).Ended;
};

it("warns once in the console which origin is not listed, for which site, and in which setting", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const Ended = await fresh();
  for (let times = 0; times < 2; times++) {
    const on = await stage();
    on.chat.link.value = "ended";
    on.chat.ending.value = "notAllowed";
    expect(on.show(Ended).textContent).toBe("This chat isn't available here.");
    on.stop();
  }
  expect(warn.mock.calls.length).toBe(1);
  for (const part of [location.origin, "https://relay.example", '"default"', "ALLOWED_ORIGINS", '"origins"'])
    expect(warn.mock.calls[0]?.[0]).toContain(part);
  warn.mockRestore();
});

it("shows only that sentence where the origin is not listed: no field, no reply time, no waiting message", async () => {
  const on = await stage({ suggestions: ["Do you ship?"] });
  const view = on.show(Panel);
  expect(view.querySelector("textarea")).not.toBeNull();
  on.chat.link.value = "ended";
  on.chat.ending.value = "notAllowed";
  await expect.poll(() => view.textContent).toContain("This chat isn't available here.");
  await drawn();
  expect(view.querySelector("textarea")).toBeNull();
  expect(view.textContent).not.toMatch(
    /usually replies|Waiting to send|Do you ship|How can we help|Connecting|offline/,
  );
  on.stop();
});
