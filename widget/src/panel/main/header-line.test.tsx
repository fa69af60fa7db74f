// @vitest-environment happy-dom
import type { Delivery } from "@porchlight/shared/protocol";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Link, LinkEnding } from "../../conversation/chat.ts";
import { drawn, type Stage, stage } from "../base/ui.fixture.ts";
import { Header } from "./header.tsx";

let on: Stage;
beforeEach(async () => {
  on = await stage();
});
afterEach(() => {
  on.stop();
  vi.useRealTimers();
});

const line = (): string | null | undefined => on.root.querySelector("#about")?.textContent;

const READY = "AI assistant\u00a0· usually replies instantly";
const ALONE = "AI assistant";

const STATES: [name: string, link: Link, ending: LinkEnding | undefined, delivery: Delivery, line: string][] = [
  ["online", "online", undefined, "ok", READY],
  ["before the first connection", "idle", undefined, "ok", READY],
  ["offline", "offline", undefined, "ok", ALONE],
  ["waiting for the next try", "waiting", undefined, "ok", "AI assistant\u00a0· Connecting…"],
  ["while the service cannot be reached", "online", undefined, "delayed", ALONE],
  ["not allowed", "ended", "notAllowed", "ok", ALONE],
  ["deleted", "ended", "gone", "ok", ALONE],
  ["logged out", "ended", "normal", "ok", ALONE],
  ["signed out", "ended", "badToken", "ok", ALONE],
  ["too old for the relay", "ended", "version", "ok", ALONE],
];

it.each(STATES)("the header shows the right line: %s", async (_, link, ending, delivery, words) => {
  on.chat.link.value = link;
  on.chat.ending.value = ending;
  on.chat.delivery.value = delivery;
  on.show(Header);
  await expect.poll(line).toBe(words);
});

it("says after two minutes that no reply came, and resets with the next question", async () => {
  on.chat.working.value = { since: Date.now() - 121_000 };
  on.show(Header);
  await expect.poll(line).toBe("AI assistant\u00a0· No reply yet.");
  on.chat.working.value = { since: Date.now() };
  await drawn();
  expect(line()).toBe(READY);
});

it("does not mention a connection that opens within three seconds", async () => {
  on.chat.link.value = "connecting";
  on.show(Header);
  await drawn();
  expect(line()).toBe(READY);
  on.chat.link.value = "online";
  await drawn();
  expect(line()).toBe(READY);
});

it("promises no time before the opening hours are known", async () => {
  on.stop();
  on = await stage({ hours: { timeZone: "Europe/Oslo" } });
  on.show(Header);
  expect(line()).toBe(ALONE);
});
