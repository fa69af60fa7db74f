// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFixtureWithFakeTimers, type Fixture, pass } from "../base/ui.fixture.ts";
import { Header } from "../main/header.tsx";
import { Status } from "./reply-time.tsx";
// Load the rarely fetched code now, so that its loading time does not count in a test.
import "./forms.tsx";

let on: Fixture;
let view: HTMLElement;
beforeEach(async () => {
  on = await createFixtureWithFakeTimers();
});
afterEach(() => on.stop());

describe("the line under the title", () => {
  it.each([
    ["in the default header", Header],
    ["with business hours", Status],
  ])("%s promises no quick answer while the service cannot be reached", async (_which, part) => {
    view = on.show(part);
    const line = (): string | null | undefined =>
      (view.querySelector("#about") ?? view.querySelector("span"))?.textContent;
    expect(line()).toBe("AI assistant\u00a0· usually replies instantly");
    on.chat.delivery.value = "delayed";
    await pass(50);
    expect(line()).toBe("AI assistant");
    on.chat.delivery.value = "ok";
    await pass(50);
    expect(line()).toBe("AI assistant\u00a0· usually replies instantly");
  });

  it.each([
    ["in the default header", Header],
    ["with business hours", Status],
  ])("%s promises no quick answer while the visitor is offline, or where the chat is not allowed", async (_, part) => {
    view = on.show(part);
    const line = (): string | null | undefined =>
      (view.querySelector("#about") ?? view.querySelector("span"))?.textContent;
    for (const link of ["offline", "waiting"] as const) {
      on.chat.link.value = link;
      await pass(50);
      expect(line(), link).toMatch(/^AI assistant(\u00a0· Connecting…)?$/);
    }
    on.chat.link.value = "online";
    await pass(50);
    expect(line()).toBe("AI assistant\u00a0· usually replies instantly");
    on.chat.link.value = "ended";
    on.chat.ending.value = "notAllowed";
    await pass(50);
    expect(line()).toBe("AI assistant");
  });
});
