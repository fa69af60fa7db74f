// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createFixture, type Fixture, own, reply } from "../base/ui.fixture.ts";
import { Thread } from "./thread.tsx";

const HEIGHT = 600;
const ROW = 100;
let on: Fixture;
let box: HTMLElement;

/** A simulated layout: each message is a row of 100 pixels, in a box of 600. */
beforeEach(async () => {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(HEIGHT);
  vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockImplementation(() => on.chat.items.value.length * ROW);
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
    const pos = Number((this as HTMLElement).dataset.row ?? 0);
    // A row counts by its middle. The mock gives rows the height of the box.
    return { top: 0, bottom: pos && pos * ROW + HEIGHT / 2 - box.scrollTop } as DOMRect;
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  on = await createFixture();
  box = on.root.host as HTMLElement;
});
afterEach(() => {
  on.stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const frame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => queueMicrotask(resolve)));
const seen = (): unknown[] => on.chat.calls.filter(([name]) => name === "markRead").map(([, pos]) => pos);

/** A thread with one question and five replies visible, none of them marked as read yet. */
async function show(): Promise<void> {
  on.chat.items.value = [
    own("Hello", { pos: 1 }),
    ...[2, 3, 4, 5, 6].map((pos) => reply(`answer ${pos}`, { pos, n: pos })),
  ];
  on.chat.unread.value = 5;
  box = on.show(Thread).querySelector<HTMLElement>(".thread") as HTMLElement;
  await frame();
  await frame();
}

it("counts only the replies below the visible ones, although none is marked as read yet", async () => {
  await show();
  box.scrollTop = 0;
  on.chat.items.value = [...on.chat.items.value, reply("answer 7", { pos: 7, n: 7 })];
  on.chat.unread.value = 6;
  box.scrollTop = 0;
  box.dispatchEvent(new Event("scroll"));
  await frame();
  await frame();
  expect(seen()).toEqual([]);
  expect(on.root.querySelector(".newest")?.textContent).toBe("1 new message");
});

it("marks a message as read after it was visible for one second, and none below it", async () => {
  await show();
  vi.advanceTimersByTime(999);
  expect(seen()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(seen()).toContain(6);
  expect(seen().every((pos) => Number(pos) <= 6)).toBe(true);
});

it("marks nothing as read if the chat is closed within that second", async () => {
  await show();
  on.isOpen.value = false;
  box.scrollTop = 1;
  box.dispatchEvent(new Event("scroll"));
  vi.advanceTimersByTime(5_000);
  expect(seen()).toEqual([]);
});
