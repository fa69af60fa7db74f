// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, drawn, type Fixture } from "../base/ui.fixture.ts";
import { ConnectionBar } from "./connection-bar.tsx";

let on: Fixture;
beforeEach(async () => {
  on = await createFixture();
});
afterEach(() => on.stop());

const bar = (): string | null | undefined => on.root.querySelector(".bar")?.textContent;

it("says that the visitor is offline rather than that something could not be fetched", async () => {
  on.show(ConnectionBar);
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
  on.show(ConnectionBar);
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

it("says that it connects when an attempt without a network takes three seconds", async () => {
  on.show(ConnectionBar);
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

describe("the connection bar", () => {
  let view: HTMLElement;
  const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
  beforeEach(() => {
    vi.useFakeTimers();
    view = on.show(ConnectionBar);
  });
  afterEach(() => void vi.useRealTimers());

  it("does not appear for interruptions of less than three seconds", async () => {
    on.chat.link.value = "waiting";
    await pass(2_000);
    on.chat.link.value = "connecting";
    await pass(900);
    on.chat.link.value = "online";
    await pass(5_000);
    expect(view.textContent).toBe("");
    expect(on.said).toEqual([]);
  });

  it("says after three seconds that the chat is connecting, also during several attempts, and then that it is back", async () => {
    on.chat.link.value = "connecting";
    await pass(2_000);
    on.chat.link.value = "waiting";
    await pass(1_100);
    expect(view.textContent).toBe("Connecting…");
    on.chat.link.value = "online";
    await pass(50);
    expect(view.textContent).toBe("");
    expect(on.said).toEqual(["Connecting…", "You're back online."]);
  });

  it("says immediately that the visitor is offline, and that nothing is lost", async () => {
    on.chat.link.value = "offline";
    await pass(50);
    expect(view.textContent).toMatch(/You're offline\. Messages will be sent/);
  });

  it("does not say that a conversation has ended, because a row of the thread does", async () => {
    on.chat.ending.value = "gone";
    on.chat.link.value = "ended";
    await pass(50);
    expect(view.textContent).toBe("");
  });

  it("says that something could not be fetched, and fetches all of it again", async () => {
    const tried: string[] = [];
    on.ui.missing.value = [() => tried.push("emoji"), () => tried.push("files")];
    await pass(50);
    expect(view.textContent).toMatch(/didn't work/);
    view.querySelector("button")?.click();
    await pass(50);
    expect([tried, view.textContent]).toEqual([["emoji", "files"], ""]);
  });

  it("says when deliveries are late", async () => {
    on.chat.delivery.value = "delayed";
    await pass(50);
    expect(view.textContent).toMatch(/Your messages are safe/);
  });
});
