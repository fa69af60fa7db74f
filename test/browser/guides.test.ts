/** Each of the guides' snippets for websites shows the chat, on a page of its own. */

import { join } from "node:path";
import { expect, it } from "vitest";
import { snippet } from "../guides.ts";
import { bundle } from "../host-pages/bundle.ts";
import { setUpTestbed } from "./checks/testbed.ts";

const testbed = setUpTestbed();
const MODULE = join(import.meta.dirname, "..", "..", "widget", "dist", "npm", "mount.js");

/** A snippet of the guides, with the address of the tested relay. */
const snippetHere = (kind: string): string => snippet(kind).replaceAll("https://chat.example.com", testbed.harness.url);
const page = (inside: string): string => `<!doctype html><html lang="en"><title>Page</title>${inside}</html>`;

/** Opens a page; resolves once the launcher is visible. */
async function launcherOn(html: string, name: RegExp = /chat|ask us/i): Promise<void> {
  const { page: tab } = await testbed.visit({ html });
  await tab.getByRole("button", { name }).waitFor();
}

it.each(["html page", "html tag", "html turbo"])("shows the chat on a page with: %s", async (kind) => {
  await launcherOn(kind === "html page" ? snippetHere(kind) : page(snippetHere(kind)));
});

it("shows the chat when a tag manager writes the tag, without its attributes", async () => {
  // Tag managers insert copies of the scripts, without data attributes.
  const manager = `<template id="tag">${snippetHere("html gtm")}</template><script>
    for (const given of document.getElementById("tag").content.querySelectorAll("script")) {
      const copy = document.createElement("script");
      copy.async = given.async;
      if (given.src) copy.src = given.src;
      copy.text = given.text;
      document.head.append(copy);
    }</script>`;
  await launcherOn(page(manager));
});

it("shows the help articles of the start screen from the owner's own address, and searches them", async () => {
  const json = snippet("json articles");
  testbed.put("/help/de.json", { html: json, headers: { "Content-Type": "application/json" } });
  const { chat } = await testbed.visit({
    html: page(snippetHere("html help").replaceAll("https://www.example.com", testbed.host)),
  });
  await chat.launcher.first().click();
  const titles = (JSON.parse(json) as { title: string }[]).map(({ title }) => title);
  const shown = chat.panel.locator(".articles li");
  await expect.poll(() => shown.allTextContents()).toEqual(titles);
  await chat.panel.getByRole("searchbox").fill("refund");
  await expect.poll(() => shown.allTextContents()).toEqual(["Returns"]);
});

it("fills the page of an app's WebView, and uses the identity that the page provides", async () => {
  const { page: tab } = await testbed.visit({ html: snippetHere("html webview") });
  await tab.getByRole("dialog").waitFor();
  await tab.getByRole("textbox", { name: "Message" }).waitFor();
});

const APPS: Record<string, string> = {
  react: `
    import { createElement } from "react";
    import { createRoot } from "react-dom/client";
    const root = createRoot(document.querySelector("#app"));
    window.show = () => root.render(createElement(Chat, { title: "Ask us" }));
    window.hide = () => root.render(null);`,
  next: `
    import { createElement } from "react";
    import { createRoot } from "react-dom/client";
    const root = createRoot(document.querySelector("#app"));
    window.show = () => root.render(createElement(Chat));
    window.hide = () => root.render(null);`,
  vue: `
    import { createApp } from "vue";
    let app;
    window.show = () => {
      app = createApp({ setup() { useChat({ title: "Ask us" }); return () => null; } });
      app.mount("#app");
    };
    window.hide = () => app.unmount();`,
};

it.each(Object.keys(APPS))("the chat appears and disappears with a component: %s", async (name) => {
  const script = await bundle(`${snippetHere(`js ${name}`)}\n${APPS[name]}`, { "@porchlight/widget": MODULE });
  testbed.put("/app.js", { html: script, headers: { "Content-Type": "text/javascript" } });
  const { page: tab } = await testbed.visit({ html: page('<div id="app"></div><script src="/app.js"></script>') });
  const launcher = tab.getByRole("button", { name: /chat|ask us/i });
  for (let times = 0; times < 2; times++) {
    await tab.evaluate("show()");
    await launcher.waitFor();
    await tab.evaluate("hide()");
    await launcher.waitFor({ state: "detached" });
  }
  expect(await launcher.count()).toBe(0);
});
