/**
 * Each optional feature is switched on and off in three ways: in the settings file, by attributes of the tag, and by the tag
 * that the snippet page makes. Without any setting, the chat says nothing before the visitor does.
 */

import { SETTINGS, type SiteSetting } from "@porchlight/shared/settings";
import { type BrowserContextOptions, devices, type Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { sampleOf } from "../all-cases.ts";
import { type Chat, converse, pageOf, setUpTestbed } from "./checks/testbed.ts";
import { PIXEL, png } from "./png.ts";
import { silence } from "./silence.ts";

type Chosen = { readonly [name in SiteSetting]?: unknown };
type Visited = { page: Page; chat: Chat };
type Feature = {
  name: string;
  /** Absent: the setting limits another feature, which the page then does not show. */
  limits?: true;
  /** Whether a page without settings has the feature. */
  isDefault?: true;
  /** Whether the page shows it now. */
  shows(visited: Visited): Promise<boolean>;
};
type Scene = {
  on: Chosen;
  off: Chosen;
  features: Feature[];
  options?: BrowserContextOptions;
  /** What the visitor does before the features can be seen. */
  enter?(visited: Visited): Promise<unknown>;
  /** Chooses on the snippet page what has a control of its own. */
  choose?(page: Page, isOn: boolean): Promise<unknown>;
};

const button = (name: string) => (visited: Visited) =>
  visited.page.getByRole("button", { name, exact: true }).isVisible();
const part = (selector: string) => (visited: Visited) => visited.page.locator(`porch-light ${selector}`).isVisible();
const open = ({ chat }: Visited) => chat.open();
/** The teaser, after something that the page's visitor does. */
const teaserAfter = (act: (page: Page) => Promise<unknown>) => async (visited: Visited) => {
  await act(visited.page);
  return part(".teaser")(visited);
};

/** Address of help articles, which the test itself answers. */
const ARTICLES = "https://help.example/articles.json";
const TEASER = { teaser: "Questions?", teaserAfter: 0 };
const SCENES: Readonly<Record<string, Scene>> = {
  teaser: { on: TEASER, off: { teaser: "" }, features: [{ name: "the teaser", shows: part(".teaser") }] },
  scroll: {
    on: { teaser: "Questions?", teaserScroll: 50 },
    off: { teaserScroll: 0 },
    features: [
      {
        name: "the teaser at a scroll depth",
        shows: teaserAfter((page) => page.evaluate(() => [scrollTo(0, 0), scrollTo(0, 9_999)])),
      },
    ],
  },
  exit: {
    on: { teaser: "Questions?", teaserExit: true },
    off: { teaserExit: false },
    features: [
      {
        name: "the teaser when the pointer leaves",
        shows: teaserAfter((page) => page.evaluate(() => dispatchEvent(new MouseEvent("mouseout", { clientY: 0 })))),
      },
    ],
  },
  pages: {
    on: { ...TEASER, teaserPages: ["/elsewhere"] },
    off: { teaserPages: [] },
    features: [{ name: "the teaser on some pages only", limits: true, shows: part(".teaser") }],
  },
  when: {
    on: { ...TEASER, teaserWhen: "cart>=50" },
    off: { teaserWhen: "" },
    features: [{ name: "the teaser on a condition", limits: true, shows: part(".teaser") }],
  },
  selector: {
    on: { launcher: "#help" },
    off: { launcher: "icon" },
    async choose(page, isOn) {
      await page.locator("#set-launcher").selectOption(isOn ? "" : "icon");
      if (isOn) await page.getByLabel("Launcher: selector").fill("#help");
    },
    features: [
      {
        name: "an element of the page as launcher",
        async shows({ page }) {
          await page.locator("#help").click();
          return page.getByRole("dialog").isVisible();
        },
      },
    ],
  },
  chat: {
    options: devices["Pixel 7"],
    on: {
      suggestions: ["Do you ship?", "Where?"],
      topics: ["Returns=returns", "Other"],
      askPerson: "team",
      team: ["Ada", "Bo"],
      voice: true,
      camera: true,
      attachments: true,
    },
    off: { suggestions: [], topics: [], askPerson: "", team: [], voice: false, camera: false, attachments: false },
    enter: open,
    features: [
      { name: "suggested questions", shows: button("Where?") },
      { name: "topics", shows: button("Other") },
      { name: "a person to talk to", shows: button("Talk to a person") },
      { name: "faces of the team", shows: part(".faces[aria-label='Ada, Bo']") },
      { name: "voice messages", shows: button("Record a voice message") },
      { name: "the camera", shows: async ({ page }) => (await page.getByLabel("Take a photo").count()) > 0 },
      {
        name: "files",
        isDefault: true,
        shows: async ({ page }) => (await page.getByLabel("Attach a file").count()) > 0,
      },
    ],
  },
  start: {
    on: { startScreen: true, articles: ARTICLES },
    off: { startScreen: false, articles: "" },
    async enter({ page, chat }) {
      const headers = { "Access-Control-Allow-Origin": "*" };
      await page.route(ARTICLES, (route) => route.fulfill({ json: [{ title: "Returns", text: "30 days" }], headers }));
      await chat.launcher.first().click();
    },
    features: [
      { name: "the start screen", shows: button("Send us a message") },
      { name: "the owner's articles", shows: button("Returns") },
    ],
  },
  fields: {
    on: { prechat: ["order"], customFields: { order: { label: "Order" } } },
    off: { prechat: [], customFields: {} },
    enter: ({ chat }) => chat.launcher.first().click(),
    async choose(page, isOn) {
      if (!isOn) return page.getByRole("button", { name: "Remove this field" }).click();
      await page.getByRole("button", { name: "Add a field" }).click();
      await page.keyboard.type("Order");
      await page.locator("#set-prechat").getByLabel("Order", { exact: true }).check();
    },
    features: [
      { name: "fields of the owner", shows: ({ page }) => page.getByRole("textbox", { name: "Order" }).isVisible() },
    ],
  },
  prefill: {
    on: { prefill: { message: "I ask about order 77" } },
    off: { prefill: {} },
    enter: open,
    async choose(page, isOn) {
      if (!isOn) return page.getByRole("button", { name: "Remove: Message" }).click();
      await page.getByRole("button", { name: "Add: Another field" }).click();
      await page.keyboard.type("I ask about order 77");
    },
    features: [
      {
        name: "a prepared message",
        shows: async ({ chat }) => (await chat.composer.inputValue()) === "I ask about order 77",
      },
    ],
  },
  preview: {
    on: { replyPreview: true },
    off: { replyPreview: false },
    async enter({ page, chat }) {
      await converse(chat);
      await chat.panel.getByRole("button", { name: "Close chat" }).click();
      await testbed.reply("Back in stock");
      await page.locator(".badge:not([hidden])").waitFor();
    },
    features: [{ name: "the reply's preview", isDefault: true, shows: part(".teaser") }],
  },
  replies: {
    on: { markdown: true, replyConventions: true, emojiPicker: true },
    off: { markdown: false, replyConventions: false, emojiPicker: false },
    async enter({ chat }) {
      await converse(chat);
      await testbed.reply("[Maria]\n**Which** lamp?\n\n> ### Perch\n> 40.00\n\n( ) Perch");
      const newest = chat.thread.locator(".reply").last();
      await newest.getByText("40.00").waitFor();
      await newest.hover();
    },
    features: [
      { name: "formatted text", isDefault: true, shows: part(".bubble strong >> text=Which") },
      { name: "copy", isDefault: true, shows: button("Copy") },
      { name: "answers to choose from", isDefault: true, shows: button("Perch") },
      { name: "cards", isDefault: true, shows: part(".card") },
      { name: "the author's name", isDefault: true, shows: part(".author >> text=Maria") },
      { name: "emoji", isDefault: true, shows: button("Insert an emoji") },
    ],
  },
  files: {
    on: { mediaViewer: true },
    off: { mediaViewer: false },
    async enter({ page, chat }) {
      await chat.open();
      const files = [
        { name: "lamp.png", mimeType: "image/png", buffer: PIXEL },
        { name: "tone.wav", mimeType: "audio/wav", buffer: silence(1) },
      ];
      await page.locator("input[type=file]").setInputFiles(files);
      await expect.poll(() => chat.panel.locator(".tray li").count()).toBe(2);
      await expect.poll(() => chat.panel.locator(".tray progress").count()).toBe(0);
      await chat.panel.getByRole("button", { name: "Send message" }).click();
      await expect.poll(() => chat.thread.locator(".own").count()).toBe(2);
      await chat.thread.locator(".picture").click();
    },
    features: [
      { name: "pictures that open large", isDefault: true, shows: part(".lightbox") },
      { name: "players", isDefault: true, shows: part(".sound") },
    ],
  },
  pictures: {
    on: { shrinkPictures: true },
    off: { shrinkPictures: false },
    async enter({ page, chat }) {
      await chat.open();
      // The bytes behind the picture make it so large that the smaller one is worth it.
      const buffer = Buffer.concat([png(3_000, 100), Buffer.alloc(100_000)]);
      await page.locator("input[type=file]").setInputFiles({ name: "wide.png", mimeType: "image/png", buffer });
      await chat.panel.locator(".tray li").waitFor();
      await expect.poll(() => chat.panel.locator(".tray progress").count()).toBe(0);
      await chat.panel.getByRole("button", { name: "Send message" }).click();
      await expect.poll(() => widthOfPicture({ page, chat })).toBeGreaterThan(0);
    },
    features: [
      {
        name: "smaller pictures",
        isDefault: true,
        shows: async (visited) => (await widthOfPicture(visited)) === 2_048,
      },
    ],
  },
};

const widthOfPicture = ({ chat }: Visited): Promise<number> =>
  chat.thread.locator("img").evaluateAll((all) => Number(all[0]?.getAttribute("width") ?? 0));

/** Each scene as two sites of the settings file, one with everything on and one with everything off. */
const sites = Object.fromEntries(
  Object.entries(SCENES).flatMap(([key, { on, off }]) => [
    [`${key}-on`, on],
    [`${key}-off`, { ...on, ...off }],
  ]),
);
const testbed = setUpTestbed({ site: { account: "default" }, sites });

const attributeOf = ([name, value]: [name: string, value: unknown]): string => {
  const text = Array.isArray(value) ? value.join("|") : typeof value === "object" ? JSON.stringify(value) : value;
  return `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}='${text}'`;
};
const tagWith = (site: string, chosen: Chosen = {}): string =>
  `<script async src="${testbed.harness.url}/w/${site}.js" data-site="${site}" ${Object.entries(chosen).map(attributeOf).join(" ")}></script>`;

async function choose(page: Page, [name, value]: [name: string, value: unknown]): Promise<void> {
  const control = page.locator(`#set-${name}`);
  const { kind } = SETTINGS[name as SiteSetting];
  if (kind === "switch") await control.setChecked(value === true);
  else await control.fill(Array.isArray(value) ? value.join("\n") : `${value}`);
}

/** The tag that the snippet page of a site makes for these settings. */
async function tagFromSnippet(site: string, scene: Scene, isOn: boolean): Promise<string> {
  const { page, context } = await testbed.visit({ path: "/snippet", html: pageOf("") });
  await page.goto(`${testbed.harness.url}/c/${site}/snippet`);
  await page.locator("#settings fieldset").first().waitFor();
  if (scene.choose) await scene.choose(page, isOn);
  else for (const entry of Object.entries(isOn ? scene.on : scene.off)) await choose(page, entry);
  const tag = (await page.locator("#tag code").textContent()) ?? "";
  await context.close();
  return tag;
}

/** Checks that every feature of the scene is in the wanted state on a page with this tag. */
async function check(scene: Scene, tag: string, wanted: (feature: Feature) => boolean): Promise<void> {
  const visited = await testbed.visit({
    html: pageOf(`<button id="help">Help</button><p style="height:3000px">${tag}`),
    ...(scene.options && { options: scene.options }),
  });
  await visited.page.locator("porch-light").waitFor({ state: "attached" });
  await scene.enter?.(visited);
  for (const feature of scene.features)
    if (wanted(feature)) await expect.poll(() => feature.shows(visited), { message: feature.name }).toBe(true);
  // What is switched off must not come with the code that is still under way.
  await visited.page.waitForLoadState("networkidle");
  for (const feature of scene.features)
    expect([feature.name, await feature.shows(visited)]).toEqual([feature.name, wanted(feature)]);
}

const isSeen =
  (isOn: boolean) =>
  ({ limits }: Feature): boolean =>
    isOn !== (limits === true);

/** How a scene is switched: the tag of a page that has it on or off. */
const WAYS: [name: string, tag: (key: string, scene: Scene, isOn: boolean) => string | Promise<string>][] = [
  ["the settings file", (key, _, isOn) => tagWith(`${key}-${isOn ? "on" : "off"}`)],
  ["attributes", (key, { on, off }, isOn) => (isOn ? tagWith("default", on) : tagWith(`${key}-on`, off))],
  ["the snippet page", (key, scene, isOn) => tagFromSnippet(isOn ? "default" : `${key}-on`, scene, isOn)],
];

for (const [at, [key, scene]] of Object.entries(SCENES).entries())
  describe(key, () => {
    it("is as the defaults say on a page without settings", () =>
      check(scene, tagWith("default"), ({ isDefault }) => isDefault === true));

    it.each(sampleOf(WAYS, [at % WAYS.length]))("is on and off by %s", async (_, tagOf) => {
      for (const isOn of [true, false]) await check(scene, await tagOf(key, scene, isOn), isSeen(isOn));
    });
  });
