// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Shell } from "./contract.ts";
import { element } from "./dom.ts";
import type { Porchlight } from "./page-api.ts";
import { restoreHost, STAYED_MS, WAITS_MS } from "./page-changes.ts";

const warnings = vi.spyOn(console, "warn");
beforeEach(() => {
  vi.useFakeTimers();
  warnings.mockReset();
  window.Porchlight = Object.assign(() => {}, { site: "default" }) as unknown as Porchlight;
  history.replaceState(undefined, "", "/");
});
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
  delete window.Porchlight;
});

/** A widget on the page. `returns` counts how often its element was put back. */
function newWidget() {
  const host = element("porch-light");
  const launcher = element("button");
  launcher.onclick = () => {};
  const widget = { host, returns: 0, restore };
  function restore(): void {
    restoreHost({ host, launcher } as unknown as Shell, () => {
      widget.returns++;
      document.body.append(host);
    });
  }
  document.body.append(host);
  return widget;
}
type Widget = ReturnType<typeof newWidget>;

const LOG_LINE = ["Porchlight: this page keeps removing the chat, so it does not return"];
const LONGEST_MS = Math.max(...WAITS_MS);

function removeOnce({ host, restore }: Widget): void {
  host.remove();
  restore();
}

/** Removes the element `times` times, each time when it has stayed for `ms`. */
function keepRemoving(widget: Widget, ms: number, times: number): void {
  for (let removal = 0; removal < times; removal++) {
    vi.advanceTimersByTime(ms);
    removeOnce(widget);
    vi.advanceTimersByTime(LONGEST_MS);
  }
}

it.each([0, 50, 700, 3_000, 10_000, 50_000])(
  "gives up, with one log line, when the page removes the element each time after %i ms",
  (ms) => {
    const widget = newWidget();
    keepRemoving(widget, ms, 100);
    expect(widget.returns).toBe(WAITS_MS.length);
    expect(widget.host.isConnected).toBe(false);
    expect(warnings.mock.calls).toEqual([LOG_LINE]);
  },
);

it("waits longer after each removal, also when the page changes something else meanwhile", () => {
  const widget = newWidget();
  const waited = WAITS_MS.map(() => {
    removeOnce(widget);
    let ms = 0;
    for (; !widget.host.isConnected; ms += 50) {
      widget.restore();
      vi.advanceTimersByTime(50);
    }
    return ms;
  });
  expect(waited).toEqual(WAITS_MS);
  expect(warnings).not.toHaveBeenCalled();
});

it("returns at once on each page of a single-page application that rebuilds the body", () => {
  const widget = newWidget();
  for (let page = 0; page < 100; page++) {
    history.pushState(undefined, "", `/${page}`);
    for (let rebuild = 0; rebuild < 3; rebuild++) {
      removeOnce(widget);
      expect(widget.host.isConnected).toBe(true);
    }
  }
  expect(warnings).not.toHaveBeenCalled();
});

it("starts anew once the element has stayed for a minute", () => {
  const widget = newWidget();
  keepRemoving(widget, STAYED_MS + 1, 100);
  expect(widget.returns).toBe(100);
  expect(warnings).not.toHaveBeenCalled();
});

it("stays away after it has given up, until the page replaces its root element as document.open does", () => {
  const widget = newWidget();
  keepRemoving(widget, 0, 100);
  history.pushState(undefined, "", "/next");
  vi.advanceTimersByTime(10 * STAYED_MS);
  widget.restore();
  expect(widget.host.isConnected).toBe(false);
  document.documentElement.remove();
  document.append(element("html", {}, element("head"), element("body")));
  widget.restore();
  expect(widget.host.isConnected).toBe(true);
  expect(warnings.mock.calls).toEqual([LOG_LINE]);
});

it("does not return when the page has destroyed the widget meanwhile, and gives the next one all its attempts", () => {
  const destroyed = newWidget();
  while (destroyed.host.isConnected) removeOnce(destroyed);
  delete window.Porchlight;
  vi.advanceTimersByTime(LONGEST_MS);
  expect(destroyed.host.isConnected).toBe(false);
  window.Porchlight = Object.assign(() => {}, { site: "default" }) as unknown as Porchlight;
  const next = newWidget();
  keepRemoving(next, 0, 100);
  expect(next.returns).toBe(WAITS_MS.length);
});
