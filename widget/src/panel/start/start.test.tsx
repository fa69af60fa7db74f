// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createFixture, type Fixture, own, reply } from "../base/ui.fixture.ts";
import { Start } from "./start.tsx";

let on: Fixture;
beforeEach(async () => {
  vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("no network"));
  on = await createFixture({ startScreen: true });
});
afterEach(() => {
  on.stop();
  vi.restoreAllMocks();
});

const newest = (): string | null | undefined => on.root.querySelector(".go small")?.textContent;

it("shows the beginning of the newest reply without Markdown below the button to the conversation", async () => {
  on.chat.items.value = [
    own("Hi"),
    reply("Take **Perch** or [Moth](https://shop.example/moth).\n\n( ) Perch\n( ) Moth"),
  ];
  on.show(Start);
  await expect.poll(newest).toBe("Take Perch or Moth.\nPerch, Moth");
});

it("shows the visitor's own newest message as it was written, and the name of a file without a text", async () => {
  on.chat.items.value = [reply("Which?"), own("The *second* one")];
  on.show(Start);
  await expect.poll(newest).toBe("The *second* one");
  on.chat.items.value = [
    own("", { media: { url: "https://relay.example/a.pdf", name: "Invoice.pdf", type: "application/pdf", size: 9 } }),
  ];
  await expect.poll(newest).toBe("Invoice.pdf");
});
