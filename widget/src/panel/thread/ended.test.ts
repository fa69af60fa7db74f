// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, createFixtureWithFakeTimers, drawn, type Fixture, pass } from "../base/ui.fixture.ts";
import { Panel } from "../main/panel.tsx";
import { Ended } from "./ended.tsx";

/** A fresh copy of the module: the shared one may have warned already in another test file of this process. */
const fresh = async (): Promise<typeof Ended> => {
  const path = "./ended.tsx?fresh";
  return ((await import(path)) as { Ended: typeof Ended }).Ended;
};

it("warns once in the console which origin is not listed, for which site, and in which setting", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const FreshEnded = await fresh();
  for (let times = 0; times < 2; times++) {
    const on = await createFixture();
    on.chat.link.value = "ended";
    on.chat.ending.value = "notAllowed";
    expect(on.show(FreshEnded).textContent).toBe("This chat isn't available here.");
    on.stop();
  }
  expect(warn.mock.calls.length).toBe(1);
  for (const part of [location.origin, "https://relay.example", '"default"', "ALLOWED_ORIGINS", '"origins"'])
    expect(warn.mock.calls[0]?.[0]).toContain(part);
  warn.mockRestore();
});

it("shows only that sentence where the origin is not listed: no field, no reply time, no waiting message", async () => {
  const on = await createFixture({ suggestions: ["Do you ship?"] });
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

describe("the end of the connection", () => {
  let on: Fixture;
  let view: HTMLElement;
  beforeEach(async () => {
    on = await createFixtureWithFakeTimers();
  });
  afterEach(() => on.stop());

  it.each([
    ["version", /reload the page/, "Reload the page"],
    ["notAllowed", /isn't available here/, undefined],
    ["badToken", /signed out/, undefined],
    ["gone", /deleted/, "Start a new conversation"],
    ["normal", /has ended/, "Start a new conversation"],
  ] as const)("shows the meaning of %s once, with the possible action", async (ending, words, button) => {
    view = on.show(Ended);
    await pass(50);
    expect(view.textContent).toBe("");
    on.chat.ending.value = ending;
    on.chat.link.value = "ended";
    await pass(50);
    expect(view.querySelector("p")?.textContent).toMatch(words);
    expect(on.said).toEqual([expect.stringMatching(words)]);
    expect(view.querySelector("button")?.textContent).toBe(button);
  });

  it("announces the greeting of a new conversation without the place of the name that it does not know", async () => {
    on.settings.value = { ...on.settings.value, greeting: "Hello {name}!" };
    view = on.show(Ended);
    on.chat.ending.value = "gone";
    on.chat.link.value = "ended";
    await pass(50);
    view.querySelector("button")?.click();
    expect(on.said.at(-1)).toBe("Hello!");
  });

  it("shows nothing while the visitor is asked for consent", async () => {
    view = on.show(Ended);
    on.ui.consent.value = false;
    on.chat.ending.value = "normal";
    on.chat.link.value = "ended";
    await pass(50);
    expect(view.textContent).toBe("");
  });
});
