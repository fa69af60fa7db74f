// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Commands, type Emit, installApi } from "./page-api.ts";

let emit: Emit;
let done: unknown[][];
const note =
  (name: string) =>
  (...args: unknown[]) => {
    done.push([name, ...args]);
    return name;
  };
const commands = (): Commands => ({
  open: note("open"),
  close: note("close"),
  toggle: note("toggle"),
  show: note("show"),
  hide: note("hide"),
  send: note("send"),
  identify: note("identify"),
  logout: note("logout"),
  update: note("update"),
  consent: note("consent"),
  destroy: note("destroy"),
});
/** The page's function, as the page sees it. */
const page = () => window.Porchlight as (...args: unknown[]) => unknown;

beforeEach(() => {
  done = [];
});
afterEach(() => {
  delete window.Porchlight;
});

describe("the function on the page", () => {
  it("runs the commands that were called before it was installed, once and in order", async () => {
    const q: unknown[][] = [["open"], ["send", "Hello"]];
    window.Porchlight = Object.assign(() => {}, { q });
    emit = installApi("shop", commands(), { isOpen: () => true, unread: () => 3 });
    await Promise.resolve();
    expect(done).toEqual([["open"], ["send", "Hello"]]);
  });

  it("is a function with methods, which return promises", async () => {
    emit = installApi("shop", commands(), { isOpen: () => true, unread: () => 3 });
    expect(await page()("open")).toBe("open");
    expect(await window.Porchlight?.send?.("Hi")).toBe("send");
    expect(window.Porchlight?.site).toBe("shop");
  });

  it("runs a command synchronously, so that it counts as part of the user's click", () => {
    emit = installApi("shop", commands(), { isOpen: () => true, unread: () => 3 });
    void page()("open");
    expect(done).toEqual([["open"]]);
  });

  it("ignores unknown commands, whatever their names", () => {
    emit = installApi("shop", commands(), { isOpen: () => true, unread: () => 3 });
    for (const name of ["fly", "constructor", "__proto__", "toString"]) expect(() => page()(name)).not.toThrow();
    expect(done).toEqual([]);
  });
});

describe("events", () => {
  beforeEach(() => {
    emit = installApi("shop", commands(), { isOpen: () => true, unread: () => 3 });
  });

  it("reach the window, then listeners, until these are removed", async () => {
    const counts: unknown[] = [];
    const dom = (event: Event): void => void counts.push((event as CustomEvent).detail);
    addEventListener("porchlight:unread", dom);
    const listener = (count: unknown): void => void counts.push(count);
    const off = page()("on", "unread", listener) as () => void;
    emit("unread", 2);
    await Promise.resolve();
    off();
    emit("unread", 3);
    window.Porchlight?.on?.("unread", listener);
    window.Porchlight?.off?.("unread", listener);
    emit("unread", 4);
    await Promise.resolve();
    removeEventListener("porchlight:unread", dom);
    expect(counts).toEqual([2, 2, 3, 4]);
  });

  it("include ready for listeners that are added late", async () => {
    const ready = vi.fn();
    emit("ready");
    page()("on", "ready", ready);
    await Promise.resolve();
    expect(ready).toHaveBeenCalledOnce();
  });

  it("come only from the widget, not from events that others dispatch on the window", () => {
    const listener = vi.fn();
    page()("on", "open", listener);
    dispatchEvent(new CustomEvent("porchlight:open"));
    expect(listener).not.toHaveBeenCalled();
  });
});
