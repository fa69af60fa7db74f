/** WIDGET 9, checks 8, 9, 14, 15 and 17: compatibility with other libraries on the page. */

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { sampleOf } from "../../all-cases.ts";
import { bundle } from "../../host-pages/bundle.ts";
import { type Chat, callApi, converse, pageOf, setUpTestbed } from "./testbed.ts";

const testbed = setUpTestbed();

/** Serves a script beside the pages. @returns its markup */
function script(code: string): string {
  testbed.put("/app.js", { html: code, headers: { "Content-Type": "text/javascript; charset=utf-8" } });
  return `<script src="/app.js"></script>`;
}

const REACT = `import { createElement as h } from "react"; import { createRoot } from "react-dom/client";
const show = (node) => createRoot(document.getElementById("root")).render(node);`;
const MODALS: Record<string, string> = {
  Radix: `${REACT} import * as D from "@radix-ui/react-dialog";
    window.openModal = () => show(h(D.Root, { defaultOpen: true }, h(D.Portal, null, h(D.Overlay), h(D.Content, { id: "modal", "aria-describedby": undefined }, h(D.Title, null, "Modal"), h("input")))));`,
  MUI: `${REACT} import Modal from "@mui/material/Modal"; import { useState } from "react";
    const App = () => { const [open, set] = useState(true); return h(Modal, { open, onClose: () => set(false) }, h("div", { id: "modal", role: "dialog", tabIndex: -1 }, h("input"))); };
    window.openModal = () => show(h(App));`,
  "React Aria": `${REACT} import { Dialog, Modal, ModalOverlay } from "react-aria-components";
    window.openModal = () => show(h(ModalOverlay, { defaultOpen: true, isDismissable: true }, h(Modal, null, h(Dialog, { id: "modal", "aria-label": "Modal" }, h("input")))));`,
  Headless: `${REACT} import { Dialog, DialogPanel } from "@headlessui/react"; import { useState } from "react";
    const App = () => { const [open, set] = useState(true); return h(Dialog, { open, onClose: () => set(false) }, h(DialogPanel, { id: "modal" }, h("input"))); };
    window.openModal = () => show(h(App));`,
  Bootstrap: `import { Modal } from "bootstrap";
    window.openModal = () => { document.getElementById("root").innerHTML = '<div id="modal" class="modal" tabindex="-1"><div class="modal-dialog"><input></div></div>'; new Modal("#modal").show(); };`,
  "focus-trap": `import { createFocusTrap } from "focus-trap";
    window.openModal = () => { document.getElementById("root").innerHTML = '<div id="modal" role="dialog"><input></div>'; createFocusTrap("#modal", { allowOutsideClick: true }).activate(); };`,
};

/** A page with one of these modals, opened over the open or closed chat. */
async function openModal(
  code: string,
  until: (chat: Chat) => Promise<unknown>,
): Promise<{ page: Page; errors: string[] }> {
  const html = pageOf(`<div id="root"></div>${script(await bundle(code))}${testbed.tag()}`);
  const { page, chat } = await testbed.visit({ html });
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await until(chat);
  await page.evaluate(() => (window as unknown as { openModal: () => void }).openModal());
  await page.locator("#modal").waitFor();
  return { page, errors };
}

/** Checks that the chat accepts focus and text, and that the modal stays open. */
async function expectUsable(page: Page): Promise<void> {
  const field = page.locator("porch-light textarea");
  await field.click();
  await page.keyboard.type("hey");
  expect(await field.inputValue()).toBe("hey");
  expect(await page.locator("#modal").isVisible()).toBe(true);
}

for (const [name, code] of Object.entries(MODALS))
  it(`8 while a modal of ${name} is open, the visitor can write in the chat, and the modal stays`, async () => {
    const { page, errors } = await openModal(code, (chat) => chat.open());
    await expectUsable(page);
    const host = await page
      .locator("porch-light")
      .evaluate((element) => [element.getAttribute("aria-hidden"), (element as HTMLElement).inert]);
    expect(host).toEqual([null, false]);
    expect(errors).toEqual([]);
  });

it("8 a page that hides everything beside its modal does not hide a chat in use", async () => {
  const { page, chat } = await testbed.visit();
  await chat.open();
  await chat.composer.click();
  const host = page.locator("porch-light");
  const hidden = () => host.evaluate((one) => [one.ariaHidden, (one as HTMLElement).inert]);
  for (const [name, value] of [
    ["aria-hidden", "true"],
    ["inert", ""],
  ] as const) {
    await host.evaluate((one, [attribute, text]) => one.setAttribute(attribute, text), [name, value] as const);
    await expect.poll(hidden).toEqual([null, false]);
  }
  await page.keyboard.type("hey");
  expect(await chat.composer.inputValue()).toBe("hey");
});

for (const [name, code] of sampleOf(Object.entries(MODALS), [0, 5]))
  it(`8 while a modal of ${name} is open, the first press on the launcher opens the chat, and the modal stays`, async () => {
    const { page } = await openModal(code, (chat) => chat.launcher.waitFor());
    await page.locator(".launcher").click();
    await expectUsable(page);
  });

it("9 the visitor can write in a chat that a button in a native modal opened, the first time and again", async () => {
  const modal = `<dialog id="modal"><button id="help" onclick="Porchlight('open')">Help</button></dialog>`;
  const { page, chat } = await testbed.visit({ html: pageOf(`${modal}${testbed.tag()}`) });
  await chat.launcher.waitFor();
  const composer = page.getByRole("textbox", { name: "Message" });
  const show = () => page.evaluate(() => (document.getElementById("modal") as HTMLDialogElement).showModal());
  const inModal = page.locator("#modal porch-light");
  await show();
  // The first round starts before the panel's code has loaded, the second after the chat was closed within the modal.
  for (const word of ["first", " and again"]) {
    await page.locator("#help").click();
    await inModal.waitFor({ state: "attached" });
    await composer.click();
    await page.keyboard.press("End");
    await page.keyboard.type(word);
    await page.getByRole("button", { name: "Close chat" }).click();
    await composer.waitFor({ state: "hidden" });
    expect(await inModal.count()).toBe(1);
  }
  await page.evaluate(() => (document.getElementById("modal") as HTMLDialogElement).close());
  await page.locator("body > porch-light").waitFor({ state: "attached" });
  // Now the panel's code has loaded, and the chat is outside the modal.
  await show();
  await page.locator("#help").click();
  await inModal.waitFor({ state: "attached" });
  await composer.click();
  await page.keyboard.press("End");
  await page.keyboard.type("!");
  expect(await composer.inputValue()).toBe("first and again!");
});

it("9 Escape on the launcher reaches the page, and Escape that closes the panel does not", async () => {
  const { page, chat } = await testbed.visit();
  await page.evaluate(() => {
    const keys = Object.assign(window, { keys: [] as string[] }).keys;
    for (const type of ["keydown", "keyup"])
      document.addEventListener(type, (event) => keys.push(`${type} ${(event as KeyboardEvent).key}`));
  });
  const keysOnPage = () => page.evaluate(() => (window as unknown as { keys: string[] }).keys);
  await chat.open();
  await chat.composer.press("Escape");
  await chat.composer.waitFor({ state: "hidden" });
  expect(await keysOnPage()).toEqual([]);
  await page.locator("porch-light .launcher").press("Escape");
  await expect.poll(keysOnPage).toEqual(["keydown Escape", "keyup Escape"]);
});

/** What the test below records in the page. `loads`: completed visits. `missing`: frames that were drawn without the chat. */
type Turbo = { loads: number; missing: number };

it("14 survives Turbo navigations with its draft, panel and conversation, without a frame in which it is missing", async () => {
  const turbo = script(await bundle(`import "@hotwired/turbo";`)).replace("<script", "<script defer");
  const html = (name: string): string =>
    pageOf(`<h1>${name}</h1><a href="/">First</a> <a href="/two">Second</a>`, turbo + testbed.tag());
  testbed.put("/two", { html: html("Second page") });
  const { page, chat } = await testbed.visit({ html: html("First page") });
  await converse(chat);
  await chat.composer.fill("half a thought");
  await page.locator("porch-light").evaluate((host) => {
    const counts: Turbo = Object.assign(window, { loads: 0, missing: 0 });
    // Turbo shows the page from its cache first, then the answer of the server, and reports the end of a visit.
    addEventListener("turbo:load", () => counts.loads++);
    const look = (): void => {
      if (!host.isConnected) counts.missing++;
      requestAnimationFrame(look);
    };
    look();
  });
  for (const [visits, name] of ["Second", "First", "Second"].entries()) {
    await page.getByRole("link", { name }).click();
    await page.getByRole("heading", { name: `${name} page` }).waitFor();
    await page.waitForFunction((before) => (window as unknown as Turbo).loads > before, visits);
    await chat.composer.waitFor();
    expect(await chat.composer.inputValue()).toBe("half a thought");
    expect(await page.locator("porch-light").count()).toBe(1);
  }
  expect(await page.evaluate(() => (window as unknown as Turbo).missing)).toBe(0);
  await chat.composer.press("Enter");
  await chat.thread.getByText("echo: half a thought", { exact: true }).waitFor();
});

for (const [version, alias] of [
  ["19", {}],
  ["18", { react: "react18", "react-dom": "react-dom18" }],
] as const)
  it(`15 React ${version} hydrates the whole document around it without an error`, async () => {
    const code = `import { createElement as h } from "react"; import { hydrateRoot } from "react-dom/client";
      const App = () => h("html", { lang: "en" }, h("head", null, h("title", null, "Host"), h("script", { async: true, src: "${testbed.harness.url}/widget.js" })), h("body", null, h("main", null, "Words"), h("script", { src: "/app.js" })));
      window.errors = []; window.hydrate = () => hydrateRoot(document, h(App), { onRecoverableError: (error) => errors.push(String(error)) });`;
    script(await bundle(code, alias));
    const html = `<!doctype html><html lang="en"><head><title>Host</title><script async="" src="${testbed.harness.url}/widget.js"></script></head><body><main>Words</main><script src="/app.js"></script></body></html>`;
    const { page, chat } = await testbed.visit({ html });
    await chat.launcher.waitFor();
    await page.evaluate(() => (window as unknown as { hydrate: () => void }).hydrate());
    await page.waitForFunction(() =>
      Object.keys(document.querySelector("main") ?? {}).some((key) => key.startsWith("__react")),
    );
    await converse(chat);
    expect(await page.evaluate(() => (window as unknown as { errors: string[] }).errors)).toEqual([]);
    expect(await page.locator("porch-light").count()).toBe(1);
  });

/** Everything that the page's scripts started and have not stopped, recorded by `recordResources`. */
type Resources = { listeners: Set<string>; timers: Set<number>; observers: Set<object>; sockets: Set<WebSocket> };
declare global {
  interface Window {
    resources: Resources;
  }
}

/** Runs in the page, first: counts listeners on window, document, viewport and media queries. */
function recordListeners(): void {
  const { listeners } = window.resources;
  const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype;
  const ids = new WeakMap<object, number>();
  let next = 0;
  const id = (value: unknown): number => {
    if (typeof value !== "object" && typeof value !== "function") return 0;
    const known = ids.get(value as object) ?? ++next;
    ids.set(value as object, known);
    return known;
  };
  const nameOf = (target: unknown): string => {
    if (target === window) return "window";
    if (target === document) return "document";
    if (target === visualViewport) return "viewport";
    return target instanceof MediaQueryList ? "media" : "";
  };
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    const target = nameOf(this ?? window);
    const signal = typeof options === "object" ? options?.signal : undefined;
    const once = typeof options === "object" && Boolean(options?.once);
    const key = `${target} ${type} ${id(listener)}`;
    if (target && !once && new Error().stack?.includes("http://127.0.0.1")) {
      listeners.add(key);
      if (signal) add.call(signal, "abort", () => listeners.delete(key));
    }
    return add.call(this ?? window, type, listener, options);
  };
  EventTarget.prototype.removeEventListener = function (type, listener, options) {
    listeners.delete(`${nameOf(this ?? window)} ${type} ${id(listener)}`);
    return remove.call(this ?? window, type, listener, options);
  };
  const onchange = Object.getOwnPropertyDescriptor(MediaQueryList.prototype, "onchange") as PropertyDescriptor;
  Object.defineProperty(MediaQueryList.prototype, "onchange", {
    set(this: MediaQueryList, listener: unknown) {
      listeners[listener ? "add" : "delete"](`onchange ${this.media}`);
      onchange.set?.call(this, listener);
    },
  });
}

/** Runs in the page, first: counts timers, observers and sockets. */
function recordOthers(): void {
  const { timers, observers, sockets } = window.resources;
  const { setTimeout: set, clearTimeout: clear } = window;
  window.setTimeout = ((run: () => void, ms?: number, ...rest: unknown[]) => {
    const timer = set(() => {
      timers.delete(timer);
      run(...(rest as []));
    }, ms);
    timers.add(timer);
    return timer;
  }) as typeof setTimeout;
  window.clearTimeout = ((timer: number) => {
    timers.delete(timer);
    clear(timer);
  }) as typeof clearTimeout;
  for (const name of ["MutationObserver", "ResizeObserver", "IntersectionObserver"] as const) {
    const { observe, disconnect } = window[name].prototype;
    Object.assign(window[name].prototype, {
      observe(this: object, ...rest: unknown[]) {
        observers.add(this);
        return (observe as (...rest: unknown[]) => void).apply(this, rest);
      },
      disconnect(this: object) {
        observers.delete(this);
        return disconnect.call(this as never);
      },
    });
  }
  const Real = WebSocket;
  window.WebSocket = class extends Real {
    constructor(url: string | URL) {
      super(url);
      sockets.add(this);
    }
  };
}

/** Records from now on what every document of the page starts and does not stop. */
async function recordResources(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.resources = { listeners: new Set(), timers: new Set(), observers: new Set(), sockets: new Set() };
  });
  await page.addInitScript(recordListeners);
  await page.addInitScript(recordOthers);
}

/** What `recordResources` holds now, and what else of the widget is on the page. */
const leftovers = (page: Page) =>
  page.evaluate(() => {
    const { listeners, timers, observers, sockets } = window.resources;
    return {
      listeners: [...listeners],
      timers: timers.size,
      observers: observers.size,
      sockets: [...sockets].filter((socket) => socket.readyState < 2).length,
      hosts: document.querySelectorAll("porch-light").length,
      global: "Porchlight" in window,
    };
  });

it("17 destroy leaves no listener, timer, observer, socket or global behind", async () => {
  const { page, chat } = await testbed.visit({ before: recordResources });
  await converse(chat);
  await chat.panel.getByRole("button", { name: "Chat options" }).click();
  await page.getByRole("menuitem").first().waitFor();
  await page.keyboard.press("Escape");
  await callApi(page, "destroy");
  // The last announcement stays in the live region for a second.
  await expect
    .poll(() => leftovers(page))
    .toEqual({ listeners: [], timers: 0, observers: 0, sockets: 0, hosts: 0, global: false });
});
