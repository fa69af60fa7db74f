/** The npm package: its tarball is installed into a Vite project, type-checked, built, and used by a page. */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callApi, converse, type Rect, rectOf, setUpTestbed } from "./checks/testbed.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** Finds packages of the repository and of `test/host-pages`. */
const require = createRequire(join(ROOT, "test", "host-pages", "package.json"));
const packageOf = (name: string): string => dirname(require.resolve(`${name}/package.json`));

/** The React component from the examples, mounted and unmounted by the page. */
const MAIN = `
import { type Events, mount } from "@porchlight/widget";
import { createElement, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Porchlight } from "./react";

declare global { interface Window { show(settings: object | undefined): void; alone(): Promise<string>; messages: Events["message"][] } }
const relay = new URLSearchParams(location.search).get("relay") ?? "";
const root = createRoot(document.querySelector("#app") as HTMLElement);
window.messages = [];
window.show = (settings) =>
  root.render(createElement(StrictMode, null, settings && createElement(Porchlight, { relay, ...settings })));
window.alone = async () => {
  const chat = await mount({ relay, title: "Alone", hours: {}, phone: { radius: 0 } });
  const off: () => void = chat.on("message", ({ id, text, at }) => window.messages.push({ id, text, at }));
  chat.on("unread", (count) => count.toFixed());
  addEventListener("porchlight:message", ({ detail }) => detail.text.trim());
  // @ts-expect-error unknown theme
  const wrongTheme = () => mount({ relay, theme: "drak" });
  // @ts-expect-error unknown event
  const unknownEvent = () => chat.on("massage", off);
  // @ts-expect-error unknown command
  const unknownCommand = () => chat("fly");
  // @ts-expect-error missing text
  const missingText = () => window.Porchlight?.("send");
  // @ts-expect-error invalid colour
  const invalidColour = () => Porchlight("update", { accent: 3 });
  chat("off", "message", chat("on", "message", ({ text }) => text.trim()));
  window.Porchlight?.("on", "message", ({ text }) => text.trim())?.();
  await chat.update({ accent: "#0a7d55" });
  await chat.open();
  return [wrongTheme, unknownEvent, unknownCommand, missingText, invalidColour].length + chat.site;
};
`;
const TSCONFIG = {
  compilerOptions: {
    target: "ES2022",
    lib: ["ES2022", "DOM"],
    module: "ESNext",
    moduleResolution: "Bundler",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    jsx: "react-jsx",
    types: [],
  },
  include: ["*.ts", "*.tsx"],
};

/** The code blocks of both manuals, each as its own module. */
const MANUALS = ["README.md", join("widget", "README.md")]
  .flatMap((name) => [...readFileSync(join(ROOT, name), "utf8").matchAll(/^```[jt]s\n(.*?)^```$/gms)])
  .map(([, code = ""]) => code)
  .filter((code) => code.includes("Porchlight") || code.includes("@porchlight/widget"));

/** The declarations that the code blocks assume. */
const BEFORE = 'import type {} from "@porchlight/widget"; declare const token: string;';

const testbed = setUpTestbed();
let folder: string;
let files: Map<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "porchlight-consumer-"));
  const npm = (...args: string[]): string => execFileSync("npm", args, { cwd: folder, encoding: "utf8" });
  const dist = join(ROOT, "widget", "dist", "npm");
  const tarball = npm("pack", dist, "--silent").trim();
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  npm("install", `./${tarball}`, "--offline", "--no-audit", "--no-fund", "--silent");
  for (const name of ["react", "react-dom"]) symlinkSync(packageOf(name), join(folder, "node_modules", name));
  writeFileSync(join(folder, "untyped.d.ts"), 'declare module "react"; declare module "react-dom/client";');
  writeFileSync(join(folder, "react.tsx"), readFileSync(join(ROOT, "widget", "examples", "react.tsx")));
  writeFileSync(join(folder, "main.ts"), MAIN);
  for (const [at, code] of MANUALS.entries()) writeFileSync(join(folder, `manual-${at}.ts`), `${BEFORE}\n${code}`);
  writeFileSync(join(folder, "index.html"), '<div id="app"></div><script type="module" src="/main.ts"></script>');
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
  await build({ root: folder, configFile: false, logLevel: "silent" });
  const out = join(folder, "dist");
  files = new Map(
    readdirSync(out, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [
        join(entry.parentPath, entry.name).slice(out.length),
        readFileSync(join(entry.parentPath, entry.name), "utf8"),
      ]),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const innerRight = ({ right }: Rect, page: Page): number => (page.viewportSize()?.width ?? 0) - right;

async function visit() {
  for (const [path, html] of files)
    if (path.endsWith(".js")) testbed.put(path, { html, headers: { "Content-Type": "text/javascript" } });
  const path = `/?relay=${encodeURIComponent(testbed.harness.url)}`;
  return testbed.visit({ path, html: `<!doctype html><html lang="en"><title>App</title>${files.get("/index.html")}` });
}

it("the package contains types for settings and events, and the manuals' code matches them", () => {
  expect(MANUALS.length).toBeGreaterThanOrEqual(4);
  const tsc = join(packageOf("typescript"), "bin", "tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
  expect([stdout, status]).toEqual(["", 0]);
});

it("the package has no dependencies", () => {
  const { dependencies } = JSON.parse(
    readFileSync(join(folder, "node_modules", "@porchlight", "widget", "package.json"), "utf8"),
  ) as { dependencies?: object };
  expect(dependencies).toBeUndefined();
});

it("tells other bundlers not to resolve the relay's script", () => {
  const code = readFileSync(join(folder, "node_modules", "@porchlight", "widget", "mount.js"), "utf8");
  const imports = [...code.matchAll(/\bimport\(\s*(.*?)\)/gs)].map(([, inside = ""]) => inside.replace(/\s+/g, " "));
  expect(imports.length).toBeGreaterThan(0);
  for (const inside of imports)
    expect(inside).toMatch(/^\/\* webpackIgnore: true \*\/ \/\* turbopackIgnore: true \*\/ \/\* @vite-ignore \*\/ /);
});

it("mounts the chat with its commands and events, and each command returns a promise", async () => {
  const { page, chat } = await visit();
  expect(await page.evaluate("window.alone()")).toBe("5default");
  await chat.panel.getByRole("heading", { name: "Alone" }).waitFor();
  await chat.send("Hello");
  await chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
  await expect.poll(() => page.evaluate("window.messages.map(({ text }) => text)")).toEqual(["echo: Hello"]);
});

it("shows one chat at a time when a page contains two copies of the module", async () => {
  const { page } = await visit();
  const copies = ["/one.js", "/other.js"];
  const code = readFileSync(join(ROOT, "widget", "dist", "npm", "mount.js"), "utf8");
  for (const path of copies) testbed.put(path, { html: code, headers: { "Content-Type": "text/javascript" } });
  for (const path of copies) {
    await page.evaluate(`import("${path}").then(({ mount }) => mount({ relay: "${testbed.harness.url}/" }))`);
    await page.locator(".launcher").waitFor();
    await callApi(page, "destroy");
    await page.locator("porch-light").waitFor({ state: "detached" });
    expect(await page.evaluate("Object.keys(window).filter((name) => name.startsWith('Porchlight'))")).toEqual([]);
  }
});

it("works as a React component that mounts on demand and resets removed settings", async () => {
  const { page, chat } = await visit();
  const show = (settings?: object) => page.evaluate(`window.show(${JSON.stringify(settings)})`);
  await show({ manual: true, position: "left", offsetX: 7 });
  await page.waitForFunction("window.Porchlight?.site");
  // All idle callbacks of the page have run.
  await page.evaluate(() => new Promise((idle) => requestIdleCallback(idle)));
  expect(await page.locator(".launcher").count()).toBe(0);
  await callApi(page, "show");
  await chat.launcher.waitFor();
  expect(await rectOf(page, ".launcher")).toMatchObject({ x: 7 });
  await show({ manual: true });
  await expect.poll(async () => innerRight(await rectOf(page, ".launcher"), page)).toBe(20);
});

it("works as a React component in strict mode, which mounts everything twice", async () => {
  const { page, chat } = await visit();
  const show = (settings?: object) => page.evaluate(`window.show(${JSON.stringify(settings)})`);
  await show({ title: "First", label: "Chat with us" });
  await converse(chat);
  await chat.panel.getByRole("heading", { name: "First" }).waitFor();
  await show({ title: "Second" });
  await chat.panel.getByRole("heading", { name: "Second" }).waitFor();
  await chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
  await show();
  await page.locator("porch-light").waitFor({ state: "detached" });
  expect(await page.evaluate("typeof window.Porchlight")).toBe("undefined");
  await show({ title: "Third" });
  await page.locator(".launcher").waitFor();
  expect(await page.locator("porch-light").count()).toBe(1);
});
