// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Announcer, createAnnouncer } from "./announcer.ts";

let root: ShadowRoot;
let announcer: Announcer;
/** The announced texts, each with its time in milliseconds. */
let announced: [at: number, text: string][];
const many = (n: number): string => `${n} new messages`;

beforeEach(() => {
  vi.useFakeTimers();
  root = document.body.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
  announcer = createAnnouncer(root);
  announced = [];
  const say = root.getElementById("say") as HTMLElement;
  const append = say.append.bind(say);
  say.append = (...nodes) => {
    announced.push([Date.now(), nodes.map((node) => (node as Node).textContent).join("")]);
    append(...nodes);
  };
});
afterEach(() => {
  announcer.stop();
  vi.useRealTimers();
});

describe("the announcer", () => {
  it("announces one text at a time, half a second apart, and removes each after a second", () => {
    announcer.status("One");
    announcer.status("Two");
    vi.advanceTimersByTime(2_000);
    expect(announced.map(([, text]) => text)).toEqual(["One", "Two"]);
    const [[first = 0] = [], [second = 0] = []] = announced;
    expect(second - first).toBeGreaterThanOrEqual(500);
    expect(root.getElementById("say")?.children.length).toBe(0);
  });

  it("keeps a text long enough to be read", () => {
    announcer.status("One");
    vi.advanceTimersByTime(900);
    expect(root.getElementById("say")?.textContent).toBe("One");
  });

  it("combines more than three waiting messages into one sentence, and keeps other waiting texts", () => {
    for (const text of ["a", "b", "c", "d"]) announcer.message(text, "", many);
    announcer.status("Message sent");
    vi.advanceTimersByTime(5_000);
    expect(announced.map(([, text]) => text)).toEqual(["4 new messages", "Message sent"]);
  });

  it("cuts long messages, and says that there is more to read", () => {
    announcer.message("x".repeat(400), "Continues.", many);
    vi.advanceTimersByTime(100);
    expect(announced[0]?.[1]).toBe(`${"x".repeat(300)}… Continues.`);
  });

  it("announces a waiting status once", () => {
    announcer.status("Same");
    announcer.status("Same");
    vi.advanceTimersByTime(5_000);
    expect(announced).toHaveLength(1);
  });

  it("announces a failure immediately", () => {
    announcer.status("One");
    announcer.alert("A message wasn't sent.");
    expect(root.getElementById("err")?.textContent).toBe("A message wasn't sent.");
  });
});
