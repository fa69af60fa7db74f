// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { own, reply, type Stage, stage } from "../base/ui.fixture.ts";
import { Thread } from "./thread.tsx";

const HEIGHT = 600;
const ROW = 100;
let on: Stage;
let box: HTMLElement;

/** A layout by place: each message is a row of 100 pixels, in a box of 600. */
beforeEach(async () => {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(HEIGHT);
  vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockImplementation(() => on.chat.items.value.length * ROW);
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
    const pos = Number((this as HTMLElement).dataset.row ?? 0);
    // The middle of a row is what counts: the box's height stands for the row's, too.
    return { top: 0, bottom: pos && pos * ROW + HEIGHT / 2 - box.scrollTop } as DOMRect;
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  on = await stage();
  box = on.root.host as HTMLElement;
});
afterEach(() => {
  on.stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const frame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => queueMicrotask(resolve)));
const seen = (): unknown[] => on.chat.asked.filter(([name]) => name === "seen").map(([, pos]) => pos);

/** A thread with one question and five replies in sight, none of which counts as seen yet. */
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

it("counts below the thread what was not in sight yet, although the rest does not count as seen", async () => {
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

it("tells the chat that a message was seen a second after it came into sight, and not of what is below", async () => {
  await show();
  vi.advanceTimersByTime(999);
  expect(seen()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(seen()).toContain(6);
  expect(seen().every((pos) => Number(pos) <= 6)).toBe(true);
});

it("tells nothing of a chat that is closed within that second", async () => {
  await show();
  on.isOpen.value = false;
  box.scrollTop = 1;
  box.dispatchEvent(new Event("scroll"));
  vi.advanceTimersByTime(5_000);
  expect(seen()).toEqual([]);
});
