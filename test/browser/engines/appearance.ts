/** Checks of the chat's appearance in one engine: themes, directions, files, and the thread's scroll position. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PIXEL } from "../png.ts";
import { POLL } from "./panel.ts";
import type { Testbed } from "./testbed.ts";

/** @param name of the engine, for the names of the tests */
export function appearanceIn(name: string, testbed: Testbed): void {
  it(`in ${name} a picked picture is previewed, sent, and shown`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "porchlight-pick-"));
    const file = join(folder, "dot.png");
    await writeFile(file, PIXEL);
    const { tab, chat } = await testbed.visit();
    await chat.open();
    await tab.pick(file);
    await chat.find({ css: ".tray img, .composer img" });
    await chat.click({ css: "button", text: "Send message" });
    await chat.find({ css: ".own img" });
    await testbed.harness.sandbox.until((sandbox) => sandbox.messages().length === 1);
    await expect.poll(() => tab.run(pictureWidth), POLL).toBe(1);
    await rm(folder, { recursive: true });
  });

  it(`in ${name} a right-to-left page has a mirrored chat in its language`, async () => {
    const { tab, chat } = await testbed.visit({ root: 'lang="ar" dir="rtl"' });
    await chat.click({ css: ".launcher" });
    await chat.find({ css: "textarea" });
    await chat.write("مرحبا");
    await tab.press("Enter");
    await chat.shows("echo: مرحبا");
    const panel = await chat.find({ css: ".panel" });
    const own = await chat.find({ css: ".own .bubble" });
    const reply = await chat.find({ css: ".reply .bubble" });
    const avatar = await chat.find({ css: ".head .avatar" });
    expect(own.x - panel.x).toBeLessThan(panel.right - own.right);
    expect(reply.x - panel.x).toBeGreaterThan(panel.right - reply.right);
    expect(panel.right - avatar.right).toBeLessThan(40);
    expect(await tab.run(directions)).toEqual({ thread: "rtl", own: "rtl", reply: "ltr" });
    await testbed.reply("There are two ways that are open to you today:\n\n- by post\n- by boat");
    const list = await chat.find({ css: ".reply .bubble ul" });
    // English texts are marked and laid out as English.
    expect((await tab.run(leftOfText, ".reply .bubble li")) - list.x).toBeLessThan(40);
  });

  it(`in ${name} the chat is dark when the system is dark, or when the page sets it`, async () => {
    for (const [dark, attributes] of [
      [true, ""],
      [false, 'data-theme="dark"'],
    ] as const) {
      await testbed.inEnvironment({ dark });
      const { tab, chat } = await testbed.visit({ body: testbed.tag(`data-site="default" ${attributes}`) });
      await chat.open();
      const { ground, ink } = await tab.run(brightness);
      expect(ground).toBeLessThan(60);
      expect(ink).toBeGreaterThan(200);
    }
  });

  it(`72 in ${name} older messages load above without moving visible ones, and the thread stays at its end`, async () => {
    const { tab, chat } = await testbed.visit();
    await chat.converse();
    const toId = testbed.harness.sandbox.messages()[0]?.fromId ?? "";
    for (let n = 1; n <= 130; n++)
      await testbed.harness.sandbox.callbackTo({ toId, body: `reply number ${n} ${"x ".repeat((n * 7) % 40)}` });
    await tab.reload();
    await chat.reopen();
    // The start position depends on what was read before the reload, so the test scrolls to the end.
    await expect.poll(() => tab.run(scrollBy, -100_000).then(() => tab.run(rows)), POLL).toBeGreaterThan(50);
    await tab.run(scrollBy, 100_000);
    await expect.poll(() => tab.run(gap), POLL).toBeLessThanOrEqual(1);
    for (const height of ["220px", "90px"]) {
      await tab.run(growLast, height);
      await expect.poll(() => tab.run(gap), POLL).toBeLessThanOrEqual(1);
    }
    const drift = await tab.run(readUpwards);
    expect(drift.rows).toBeGreaterThan(0);
    expect(drift.most).toBeLessThanOrEqual(1);
    const before = await tab.run(scrollBy, 0);
    await testbed.reply("while reading");
    await chat.find({ css: ".newest" });
    expect(Math.abs((await tab.run(scrollBy, 0)) - before)).toBeLessThanOrEqual(1);
    await chat.click({ css: ".newest" });
    await expect.poll(() => tab.run(gap), POLL).toBeLessThanOrEqual(1);
  });

  it(`72 in ${name} the composer grows and shrinks with its text, and the thread stays at its end`, async () => {
    testbed.harness.sandbox.configure({ botScript: "long" });
    const { tab, chat } = await testbed.visit();
    await chat.open();
    const { height } = await chat.find({ css: "textarea" });
    await chat.send("a long answer, please");
    await chat.find({ css: ".reply .bubble" });
    await chat.write(
      "a draft that is pasted, and goes over more than one line of the field, over three in fact, or four",
    );
    await expect.poll(async () => (await chat.find({ css: "textarea" })).height, POLL).toBeGreaterThan(2 * height);
    await expect.poll(() => tab.run(gap), POLL).toBeLessThanOrEqual(1);
    await tab.type(" and more");
    await expect.poll(() => tab.run(gap), POLL).toBeLessThanOrEqual(1);
    await expect.poll(() => tab.run(cutOff), POLL).toBeLessThanOrEqual(1);
    testbed.harness.sandbox.configure({ botScript: "silent" });
    await tab.press("Enter");
    await expect.poll(async () => (await chat.find({ css: "textarea" })).height, POLL).toBe(height);
    await expect.poll(() => tab.run(gap), POLL).toBeLessThanOrEqual(1);
    // Otherwise the message may arrive during the next test.
    await testbed.harness.sandbox.until((sandbox) => sandbox.messages().length === 2);
  });

  it(`74 in ${name} long strings, both directions, emoji and code stay within the panel`, async () => {
    testbed.harness.sandbox.configure({ botScript: "silent" });
    const { tab, chat } = await testbed.visit();
    await chat.open();
    const texts = ["W".repeat(1_500), "שלום world مرحبا 123", "👋🎉"];
    for (const text of texts) await chat.send(text);
    await testbed.harness.sandbox.until((sandbox) => sandbox.messages().length === texts.length);
    await testbed.reply(`\`\`\`\nconst long = ${"x".repeat(400)};\n\`\`\`\nשלום לך`);
    await chat.find({ css: ".reply pre" });
    const seen = await tab.run(overflow);
    expect(seen).toEqual({
      wide: 0,
      out: 0,
      directions: ["ltr", "rtl", "ltr", "rtl"],
      big: [false, false, true, false],
    });
  });

  it(`74 in ${name} a table scrolls within its bubble, an answer is sent by a press, and a card has its button`, async () => {
    testbed.harness.sandbox.configure({ botScript: "silent" });
    const { tab, chat } = await testbed.visit();
    await chat.open();
    await chat.send("Which?");
    await testbed.harness.sandbox.until((sandbox) => sandbox.messages().length === 1);
    const row = `| ${"a long cell | ".repeat(8)}`;
    const head = `${row}\n| ${"--- | ".repeat(8)}`;
    await testbed.reply(
      `${head}\n${row}\n\n> ### Perch\n> [See it](https://shop.example/perch)\n\n- [x] done\n\n( ) Perch\n( ) Moth`,
    );
    await chat.find({ css: ".reply .card .actions a" });
    await chat.find({ css: ".reply .task" });
    expect(await tab.run(tableRoom)).toEqual({ scrolls: true, wide: 0 });
    await chat.click({ css: ".answers button", text: "Perch" });
    await testbed.harness.sandbox.until((sandbox) => sandbox.messages().some(({ body }) => body === "Perch"));
  });
}

/** The functions below run in the page. */

function tableRoom(): { scrolls: boolean; wide: number } {
  const root = document.querySelector("porch-light")?.shadowRoot;
  const box = root?.querySelector(".scroll");
  const thread = root?.querySelector(".thread");
  return {
    scrolls: (box?.scrollWidth ?? 0) > (box?.clientWidth ?? 0) + 50,
    wide: (thread?.scrollWidth ?? 0) - (thread?.clientWidth ?? 0),
  };
}

function pictureWidth(): number {
  const picture = document.querySelector("porch-light")?.shadowRoot?.querySelector<HTMLImageElement>(".own img");
  return picture?.naturalWidth ?? 0;
}

function directions(): Record<string, string> {
  const root = document.querySelector("porch-light")?.shadowRoot;
  const of = (css: string): string => getComputedStyle(root?.querySelector(css) as Element).direction;
  return { thread: of(".thread"), own: of(".own .bubble"), reply: of(".reply .bubble") };
}

/** Left edge of the text of the first matching element, in pixels of the window. */
function leftOfText(css: string): number {
  let node: Node | null | undefined = document.querySelector("porch-light")?.shadowRoot?.querySelector(css);
  while (node?.firstChild) node = node.firstChild;
  const words = document.createRange();
  if (node) words.selectNodeContents(node);
  return words.getBoundingClientRect().x;
}

/** Brightness of the panel's background and of its text, from 0 to 255. */
function brightness(): { ground: number; ink: number } {
  const root = document.querySelector("porch-light")?.shadowRoot;
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = (css: string): number => {
    if (!canvas) return -1;
    canvas.fillStyle = css;
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const { backgroundColor, color } = getComputedStyle(root?.querySelector(".panel") as Element);
  return { ground: light(backgroundColor), ink: light(color) };
}

function rows(): number {
  return document.querySelector("porch-light")?.shadowRoot?.querySelectorAll("[data-row]").length ?? 0;
}

/** Scrolls the thread. @returns its scroll position two frames later */
async function scrollBy(by: number): Promise<number> {
  const thread = document.querySelector("porch-light")?.shadowRoot?.querySelector(".thread");
  if (thread && by) thread.scrollTop += by;
  for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
  return thread?.scrollTop ?? -1;
}

/** Distance to the end of the thread in pixels, measured two frames later. */
async function gap(): Promise<number> {
  for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
  const thread = document.querySelector("porch-light")?.shadowRoot?.querySelector(".thread");
  return thread ? Math.abs(thread.scrollHeight - thread.scrollTop - thread.clientHeight) : -1;
}

/** Pixels of the draft that are scrolled out of view. */
function cutOff(): number {
  const field = document.querySelector("porch-light")?.shadowRoot?.querySelector("textarea");
  return field ? field.scrollHeight - field.clientHeight : -1;
}

function growLast(height: string): void {
  const all = document.querySelector("porch-light")?.shadowRoot?.querySelectorAll<HTMLElement>(".reply .bubble") ?? [];
  const last = [...all].at(-1);
  if (last) last.style.minHeight = height;
}

/**
 * Scrolls to the top until older messages have loaded twice or none are left. `most`: largest movement of the visible row, in
 * pixels.
 */
async function readUpwards(): Promise<{ rows: number; most: number }> {
  const root = document.querySelector("porch-light")?.shadowRoot;
  const thread = root?.querySelector(".thread");
  if (!root || !thread) throw new Error("no thread");
  const count = (): number => root.querySelectorAll("[data-row]").length;
  const frame = (): Promise<unknown> => new Promise(requestAnimationFrame);
  const began = count();
  let most = 0;
  for (const start of [0, 1]) {
    const before = count();
    thread.scrollTop = start;
    const first = [...root.querySelectorAll("[data-row]")].find(
      (row) => row.getBoundingClientRect().bottom > thread.getBoundingClientRect().top,
    );
    const place = (): number => first?.getBoundingClientRect().bottom ?? 0;
    const then = place();
    const deadline = performance.now() + 60_000;
    while (count() === before && root.querySelector(".older") && performance.now() < deadline) await frame();
    for (let n = 0; n < 5; n++) await frame();
    most = Math.max(most, Math.abs(place() - then));
  }
  return { rows: count() - began, most };
}

function overflow(): { wide: number; out: number; directions: string[]; big: boolean[] } {
  const root = document.querySelector("porch-light")?.shadowRoot;
  const panel = root?.querySelector(".panel")?.getBoundingClientRect() ?? new DOMRect();
  const thread = root?.querySelector(".thread");
  const bubbles = [...(root?.querySelectorAll(".bubble:not(.dots)") ?? [])];
  return {
    wide: (thread?.scrollWidth ?? 0) - (thread?.clientWidth ?? 0),
    out: bubbles
      .map((bubble) => bubble.getBoundingClientRect())
      .filter(({ x, right }) => right > panel.right || x < panel.x).length,
    directions: bubbles.map((bubble) => getComputedStyle(bubble.querySelector("p") ?? bubble).direction),
    big: bubbles.map((bubble) => bubble.classList.contains("big")),
  };
}
