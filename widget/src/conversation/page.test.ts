// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from "vitest";
import { browserPage, createTimer } from "./page.ts";
import { createBrowser, createWorld } from "./world.fixture.ts";

afterEach(() => vi.unstubAllGlobals());

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a timer", () => {
  it("runs once, at the time of the last `set`", () => {
    const world = createWorld();
    const timer = createTimer(createBrowser(world).tab().page);
    const ran: string[] = [];
    timer.set(100, () => ran.push("first"));
    world.advance(50);
    timer.set(100, () => ran.push("second"));
    world.advance(99);
    expect([ran, timer.on()]).toEqual([[], true]);
    world.advance(1);
    expect([ran, timer.on(), world.pending()]).toEqual([["second"], false, 0]);
  });

  it("can be cancelled, and set again by its own function", () => {
    const world = createWorld();
    const timer = createTimer(createBrowser(world).tab().page);
    let runs = 0;
    timer.set(10, () => timer.set(10, () => runs++));
    world.advance(20);
    expect(runs).toBe(1);
    timer.set(10, () => runs++);
    timer.off();
    world.advance(20);
    expect([runs, timer.on()]).toEqual([1, false]);
  });
});

describe("the browser's page", () => {
  it("listens for visibility at the document and for other events at the window, until they are removed", () => {
    const received: string[] = [];
    const stops = (["visibilitychange", "focus"] as const).map((name) =>
      browserPage.on(name, ({ type }) => received.push(type)),
    );
    const fire = (): void => {
      document.dispatchEvent(new Event("visibilitychange"));
      window.dispatchEvent(new Event("focus"));
    };
    fire();
    for (const stop of stops) stop();
    fire();
    expect(received).toEqual(["visibilitychange", "focus"]);
  });

  it("grants a lock that another tab releases, and holds it until it is released here", async () => {
    let grant: (() => Promise<void>) | undefined;
    const request = async (_name: string, _options: object, run: () => Promise<void>): Promise<void> => {
      grant = run;
    };
    vi.stubGlobal("navigator", { locks: { request } });
    let granted = 0;
    const release = browserPage.lock("porchlight:shop", () => granted++);
    expect(granted).toBe(0);
    let held = true;
    void grant?.().then(() => {
      held = false;
    });
    await nextTick();
    expect([granted, held]).toEqual([1, true]);
    release();
    await nextTick();
    expect(held).toBe(false);
  });

  it.each([
    ["are missing", {}],
    ["are blocked with the cookies", { locks: { request: () => Promise.reject(new Error("SecurityError")) } }],
  ])("grants every lock if Web Locks %s", async (_, navigator) => {
    vi.stubGlobal("navigator", navigator);
    let granted = 0;
    browserPage.lock("porchlight:shop", () => granted++);
    await nextTick();
    expect(granted).toBe(1);
  });

  it("does not grant a lock that is released before it was granted", async () => {
    vi.stubGlobal("navigator", {});
    let granted = 0;
    browserPage.lock("porchlight:shop", () => granted++)();
    await nextTick();
    expect(granted).toBe(0);
  });
});
