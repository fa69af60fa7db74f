import { expect, it, vi } from "vitest";
import { createEvents } from "./events.ts";

type Details = { message: string; unread: number };

it("calls the listeners of an event with its detail, in the order in which they were added", () => {
  const events = createEvents<Details>();
  const calls: unknown[] = [];
  events.on("message", (text) => calls.push(["first", text]));
  events.on("unread", (count) => calls.push(count));
  events.on("message", (text) => calls.push(["second", text]));
  events.emit("message", "Hello");
  expect(calls).toEqual([
    ["first", "Hello"],
    ["second", "Hello"],
  ]);
});

it("removes one listener, or all of them", () => {
  const events = createEvents<Details>();
  const calls: string[] = [];
  const listener = (text: string): void => void calls.push(text);
  const off = events.on("message", listener);
  events.on("message", listener);
  off();
  events.emit("message", "one");
  expect(calls).toEqual(["one"]);
  events.clear();
  events.emit("message", "two");
  expect(calls).toEqual(["one"]);
});

it("logs an error of a listener, and still calls the next listener", () => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  const events = createEvents<Details>();
  const calls: number[] = [];
  const error = new Error("in the page's code");
  events.on("unread", () => {
    throw error;
  });
  events.on("unread", (count) => calls.push(count));
  events.emit("unread", 3);
  expect([calls, log.mock.calls]).toEqual([[3], [[error]]]);
  log.mockRestore();
});

it("calls a listener that is removed during an event one last time, and no listener that is added during it", () => {
  const events = createEvents<Details>();
  const calls: string[] = [];
  events.on("message", () => {
    events.on("message", () => calls.push("added"));
    off();
  });
  const off = events.on("message", () => calls.push("removed"));
  events.emit("message", "Hello");
  expect(calls).toEqual(["removed"]);
});
