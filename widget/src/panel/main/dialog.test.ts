// @vitest-environment happy-dom
import { signal } from "@preact/signals-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { element } from "../../loader/dom.ts";
import { createFixture, type Fixture } from "../base/ui.fixture.ts";
import { controlDialog, type DialogControl } from "./dialog.ts";

let on: Fixture;
let control: DialogControl;
let opener: HTMLElement;
let inside: HTMLElement;
let fixed: boolean;
const isOpen = signal(false);

beforeEach(async () => {
  on = await createFixture();
  fixed = false;
  opener = document.body.appendChild(element("button", {}, "Help"));
  inside = element("textarea");
  on.ui.shell.dialog.append(inside);
  isOpen.value = false;
  control = controlDialog(on.ui.shell, isOpen, () => fixed);
});
afterEach(() => {
  control.stop();
  opener.remove();
  on.stop();
});
const open = (): void => {
  control.opening();
  on.ui.shell.dialog.open = true;
  isOpen.value = true;
};
const pressEscape = (more: KeyboardEventInit & { keyCode?: number } = {}): void => {
  inside.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true, ...more }));
};

describe("closing the panel", () => {
  it("returns the focus to the element that opened it", () => {
    opener.focus();
    open();
    inside.focus();
    control.close();
    expect(document.activeElement).toBe(opener);
    expect(isOpen.value).toBe(false);
  });

  it("moves the focus to the launcher when that element is gone", () => {
    opener.focus();
    open();
    opener.remove();
    inside.focus();
    control.close();
    expect(on.root.activeElement).toBe(on.ui.shell.launcher);
  });

  it("leaves a focus outside the panel alone", () => {
    open();
    opener.focus();
    control.close();
    expect(document.activeElement).toBe(opener);
  });

  it("happens on Escape, unless Escape ends an input method's composition or closes a menu", () => {
    open();
    pressEscape({ isComposing: true });
    pressEscape({ keyCode: 229 });
    expect(isOpen.value).toBe(true);
    inside.addEventListener("keydown", (event) => event.preventDefault(), { once: true });
    pressEscape();
    expect(isOpen.value).toBe(true);
    pressEscape();
    expect(isOpen.value).toBe(false);
  });

  it("does not happen where the chat fills the page", () => {
    fixed = true;
    open();
    pressEscape();
    control.close();
    expect(isOpen.value).toBe(true);
  });
});
