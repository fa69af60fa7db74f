// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isRemembered } from "../base/remembered.ts";
import { createFixtureWithFakeTimers, type Fixture, own, pass, reply } from "../base/ui.fixture.ts";
import { Waiting } from "./waiting.tsx";
// Load the rarely fetched code now, so that its loading time does not count in a test.
import "../forms/forms.tsx";
import "./long-wait.tsx";

let on: Fixture;
let view: HTMLElement;
beforeEach(async () => {
  on = await createFixtureWithFakeTimers();
});
afterEach(() => on.stop());

describe("waiting for a reply", () => {
  beforeEach(() => {
    view = on.show(Waiting);
  });
  const work = (): void => {
    on.chat.working.value = { since: Date.now() };
  };

  it("shows nothing until the service has accepted the message", async () => {
    await pass(5_000);
    expect(view.textContent).toBe("");
    expect(view.querySelector(".dots")).toBeNull();
  });

  it("shows dots after 0.6 s, texts after 10 and 30 s, and after 120 s that no reply came", async () => {
    work();
    await pass(590);
    expect(view.querySelector(".dots")).toBeNull();
    await pass(40);
    expect(view.querySelector(".dots")).not.toBeNull();
    await pass(9_400);
    expect(view.textContent).toBe("Still working on it.");
    await pass(20_000);
    expect(view.textContent).toMatch(/longer than usual/);
    await pass(90_000);
    expect(view.querySelector(".waiting")?.textContent).toBe("No reply yet.Ask again");
    expect(view.querySelector(".dots")).toBeNull();
  });

  it("is announced to screen readers at most three times", async () => {
    work();
    await pass(130_000);
    expect(on.said).toEqual([
      "The assistant is working on a reply",
      "Still working on it.",
      "This is taking longer than usual. You can keep browsing. The reply will appear here.",
    ]);
  });

  it("offers an answer by email after half a minute, and keeps the visitor's input when the reply comes", async () => {
    on.settings.value = { ...on.settings.value, emailOffer: true };
    work();
    await pass(29_000);
    expect(view.querySelector("[name=email]")).toBeNull();
    await pass(2_000);
    await expect.poll(() => view.querySelector("[name=email]")).not.toBeNull();
    on.chat.working.value = undefined;
    await pass(50);
    expect(view.querySelector(".waiting")).toBeNull();
    expect(view.querySelector("[name=email]")).not.toBeNull();
  });

  it.each([
    ["the site does not want it, or the relay sends no mail", {}, undefined],
    ["the site has its own card", { emailOffer: true, capture: ["phone"] }, undefined],
    ["an address is known", { emailOffer: true }, true],
  ])("offers nothing where %s", async (_why, options, known) => {
    on.settings.value = { ...on.settings.value, ...options };
    on.chat.email.value = known;
    work();
    await pass(31_000);
    await import("../forms/forms.tsx");
    await pass(50);
    expect(view.querySelector(".waiting")?.textContent).toMatch(/longer than usual/);
    expect(view.querySelector("[name=email]")).toBeNull();
  });

  it("ends with the reply, and with the connection", async () => {
    work();
    await pass(1_000);
    on.chat.link.value = "waiting";
    await pass(50);
    expect(view.querySelector(".dots")).toBeNull();
    on.chat.link.value = "online";
    await pass(1_000);
    expect(view.querySelector(".dots")).not.toBeNull();
    on.chat.working.value = undefined;
    await pass(50);
    expect(view.querySelector(".dots")).toBeNull();
  });

  it("shows the dots for at least half a second, also below a reply that arrives meanwhile, without delaying the reply", async () => {
    work();
    await pass(620);
    on.chat.items.value = [own("Hello"), reply("Hi")];
    on.chat.working.value = undefined;
    await pass(440);
    expect(view.querySelector(".dots")).not.toBeNull();
    await pass(60);
    expect(view.querySelector(".dots")).toBeNull();
    work();
    await pass(2_000);
    expect(view.querySelector(".dots")).not.toBeNull();
    on.chat.working.value = undefined;
    await pass(0);
    expect(view.querySelector(".dots")).toBeNull();
  });

  it("continues the wait of an earlier page", async () => {
    on.chat.working.value = { since: Date.now() - 45_000 };
    await pass(50);
    expect(view.querySelector(".waiting")?.textContent).toMatch(/longer than usual/);
    await pass(75_000);
    expect(view.querySelector(".waiting")?.textContent).toBe("No reply yet.Ask again");
    expect(on.said).toEqual([expect.stringMatching(/longer than usual/)]);
  });

  describe("by email", () => {
    const link = (): HTMLElement | undefined =>
      [...view.querySelectorAll("button")].find(({ textContent }) => textContent?.startsWith("Leave your email"));
    beforeEach(() => {
      localStorage.clear();
      on.settings.value = { ...on.settings.value, emailOffer: true };
    });
    afterEach(() => localStorage.clear());

    it("is also offered after half a minute to visitors whose message could not be delivered", async () => {
      on.chat.items.value = [own("Hello", { state: "sent", at: Date.now() })];
      await pass(20_000);
      on.chat.delivery.value = "delayed";
      await pass(9_900);
      expect(view.textContent).toBe("");
      await pass(200);
      await expect.poll(() => view.querySelector("[name=email]")).not.toBeNull();
      expect([view.querySelector(".dots"), view.querySelector(".waiting"), on.said]).toEqual([null, null, []]);
      // The service is reachable again and has the message. The visitor's input remains.
      on.chat.delivery.value = "ok";
      await pass(50);
      expect(view.querySelector("[name=email]")).not.toBeNull();
    });

    it("is offered once more beside 'Ask again' to visitors who have declined", async () => {
      work();
      await pass(31_000);
      await expect.poll(() => view.querySelector("[name=email]")).not.toBeNull();
      [...view.querySelectorAll("button")].find(({ textContent }) => textContent === "No, thanks")?.click();
      await pass(50);
      expect([view.querySelector("[name=email]"), link(), isRemembered(on.ui, "capture")]).toEqual([
        null,
        undefined,
        true,
      ]);
      await pass(90_000);
      link()?.click();
      await pass(50);
      expect([view.querySelector("[name=email]"), link()]).toEqual([on.root.activeElement, undefined]);
      expect(on.root.activeElement).not.toBeNull();
      expect(isRemembered(on.ui, "capture")).toBe(false);
    });
  });

  it("shows no dots where people answer", async () => {
    on.settings.value = { ...on.settings.value, responder: "human" };
    work();
    await pass(20_000);
    expect(view.textContent).toBe("");
  });

  it("shows nothing while the site is closed", async () => {
    on.ui.asking.value = true;
    work();
    await pass(130_000);
    expect([view.textContent, view.querySelector(".dots"), on.said]).toEqual(["", null, []]);
  });

  it("ends with the question in the text field, and does not send it automatically", async () => {
    on.chat.items.value = [{ id: "1", from: "visitor", text: "Where is it?", at: 0, state: "delivered" }];
    work();
    await pass(121_000);
    const ask = (): void => view.querySelector("button")?.click();
    ask();
    expect([on.chat.calls, on.chat.draft.value]).toEqual([[], "Where is it?"]);
    on.chat.draft.value = "something begun";
    ask();
    expect(on.chat.draft.value).toBe("something begun");
  });
});
