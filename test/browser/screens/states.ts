/** The twelve states of the README's pictures: desktop and phone, light and dark, left to right and right to left. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Options } from "../../../widget/src/settings/options.ts";
import type { Harness } from "../../harness.ts";
import { setOffline } from "../offline.ts";

export type State = {
  name: string;
  /** `desktop`: a whole desktop page; `panel`: only the part with the chat. */
  screen: "desktop" | "panel" | "phone";
  dark?: boolean;
  settings?: Options;
  /** Brings a page that shows only the launcher into the state. */
  enter: (page: Page, harness: Harness) => Promise<unknown>;
};

const QUESTIONS = ["Do you ship to Norway?", "Which lamp for reading?", "How do returns work?"];
const SHOP: Options = {
  title: "Moth & Filament",
  accent: "#a8452b",
  greeting: "Hi! Ask me about our lamps, delivery or returns.",
  suggestions: QUESTIONS,
  privacyUrl: "https://shop.example/privacy",
};
const ARABIC: Options = {
  ...SHOP,
  locale: "ar",
  position: "left",
  title: "فراشة وفتيل",
  greeting: "مرحبًا! اسألنا عن المصابيح أو التوصيل أو الإرجاع.",
  suggestions: ["هل تشحنون إلى النرويج؟", "أي مصباح للقراءة؟", "كيف أعيد مصباحًا؟"],
};

const part = (page: Page, selector: string) => page.locator(`porch-light ${selector}`);

async function open(page: Page): Promise<void> {
  await part(page, ".launcher").click();
  await part(page, "textarea").waitFor();
  // Move the pointer away from the launcher, which rises under the pointer.
  await page.mouse.move(5, 400);
}

async function sendMessage(page: Page, text: string): Promise<void> {
  const before = await part(page, ".own").count();
  await part(page, "textarea").fill(text);
  await part(page, ".send").click();
  await part(page, `.own >> nth=${before}`).waitFor();
}

/** Sends a text, and waits until the service has received it. */
async function ask(page: Page, harness: Harness, text: string): Promise<void> {
  const before = harness.sandbox.messages().length;
  await sendMessage(page, text);
  await harness.sandbox.until((sandbox) => sandbox.messages().length > before);
}

async function answer(page: Page, harness: Harness, body: string): Promise<void> {
  const before = await part(page, ".reply").count();
  await harness.sandbox.humanReply({ fromId: harness.sandbox.messages().at(-1)?.fromId ?? "", body });
  await part(page, `.reply >> nth=${before}`).waitFor();
}

const OFFER = `For reading I would take **Perch**: its arm stays where you put it.

- Warm light, *2700 K*, dimmable
- €\u00a0129, delivered in 3 days
- [How we ship](https://shop.example/shipping)`;

async function talk(page: Page, harness: Harness): Promise<void> {
  await open(page);
  await ask(page, harness, "Which lamp is good for reading in bed?");
  await answer(page, harness, OFFER);
  await ask(page, harness, "Lovely. Does it come in black?");
  await answer(page, harness, "It does: matt black or brass. Both are in stock.");
}

/** A picture of one of the page's lamps, sent as a file. */
async function sendPicture(page: Page, buffer: Buffer): Promise<void> {
  await part(page, "input[type=file]").setInputFiles({ name: "lamp.png", mimeType: "image/png", buffer });
  await part(page, ".tray li").waitFor();
  await part(page, ".tray progress").waitFor({ state: "detached" });
  await part(page, "textarea").fill("Is this the one?");
  await part(page, ".send").click();
  await part(page, ".own img").waitFor();
}

async function arabic(page: Page, harness: Harness): Promise<void> {
  await open(page);
  await ask(page, harness, "أي مصباح يناسب القراءة في السرير؟");
  await answer(
    page,
    harness,
    "أنصحك بمصباح **Perch**، فذراعه تثبت حيث تضعها.\n\n- ضوء دافئ قابل للتعتيم\n- €\u00a0129 والتوصيل خلال 3 أيام",
  );
  await ask(page, harness, "رائع، شكرًا!");
}

const ARTICLES = [
  { title: "Delivery times and costs", text: "Two to four days." },
  { title: "Send a lamp back", text: "Within **30 days**, in its box." },
  { title: "Which bulb fits my lamp?", text: "Every lamp says so below its foot." },
  { title: "All our lamps", url: "/lamps" },
];

/** Writes the owner's help articles into the relay's data folder, and opens the start screen. */
async function openHelp(page: Page, harness: Harness): Promise<void> {
  const folder = join(harness.dataDir, "help");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "default.json"), JSON.stringify(ARTICLES));
  await part(page, ".launcher").click();
  await part(page, ".articles li").first().waitFor();
  await page.mouse.move(5, 400);
}

/** Runs in the page: a fake microphone whose tone has the rhythm of speech. */
function fakeSpeech(): void {
  const getUserMedia = async (): Promise<MediaStream> => {
    const audio = new AudioContext();
    const [tone, gain, out] = [audio.createOscillator(), audio.createGain(), audio.createMediaStreamDestination()];
    tone.connect(gain).connect(out);
    gain.gain.value = 0;
    for (let at = 0; at < 90; at++)
      gain.gain.setTargetAtTime(0.02 + 0.5 * Math.abs(Math.sin(at * 0.9) * Math.sin(at * 0.23)), at / 10, 0.03);
    tone.start();
    return out.stream;
  };
  Object.defineProperty(navigator, "mediaDevices", { value: { getUserMedia } });
}

/** Records a voice message of a few seconds. */
async function record(page: Page, harness: Harness): Promise<void> {
  await page.evaluate(fakeSpeech);
  await open(page);
  await ask(page, harness, "My lamp hums. Is that normal?");
  await answer(page, harness, "It should be silent. Can you let us hear it?");
  await part(page, ".tool[aria-label*=voice]").click();
  await part(page, ".recording").getByText("0:06").waitFor();
}

export const STATES: readonly State[] = [
  {
    name: "teaser",
    screen: "desktop",
    settings: { ...SHOP, teaser: "Not sure which lamp? Ask us." },
    enter: (page) => part(page, ".teaser").waitFor(),
  },
  { name: "talk-dark", screen: "desktop", dark: true, settings: SHOP, enter: talk },
  {
    name: "start",
    screen: "panel",
    settings: { ...SHOP, suggestions: QUESTIONS.slice(0, 2), startScreen: true },
    enter: openHelp,
  },
  { name: "talk", screen: "panel", settings: SHOP, enter: talk },
  {
    name: "failed",
    screen: "panel",
    settings: SHOP,
    async enter(page, harness) {
      // Without the round corners that it has on the page.
      const box = await page.locator(".card .picture").nth(1).boundingBox();
      const { x, y, width, height } = box ?? { x: 0, y: 0, width: 40, height: 40 };
      const clip = { x: x + 20, y: y + 20, width: width - 40, height: height - 40 };
      const lamp = await page.screenshot({ clip, fullPage: true });
      await page.evaluate(() => scrollTo(0, 0));
      await open(page);
      await sendPicture(page, lamp);
      await answer(page, harness, "Yes, that is **Perch**, in brass.");
      harness.sandbox.failNext("incoming", 1, 400);
      await sendMessage(page, "Then I will take two of them.");
      await part(page, ".failed").waitFor();
    },
  },
  {
    name: "card-dark",
    screen: "panel",
    dark: true,
    settings: { ...SHOP, capture: ["name?", "email"] },
    async enter(page, harness) {
      await open(page);
      await ask(page, harness, "Do you ship to Norway?");
      await answer(page, harness, "We do, in four to six days. May we write you when it leaves?");
      await part(page, "input[type=email]").waitFor();
    },
  },
  {
    name: "offline",
    screen: "panel",
    settings: SHOP,
    async enter(page, harness) {
      await talk(page, harness);
      await setOffline(page, true);
      await sendMessage(page, "Black then, please.");
      await part(page, ".bar").getByText("You're offline.").waitFor();
    },
  },
  { name: "talk-ar", screen: "panel", settings: ARABIC, enter: arabic },
  { name: "phone-talk", screen: "phone", settings: SHOP, enter: talk },
  { name: "phone-voice", screen: "phone", settings: { ...SHOP, voice: true }, enter: record },
  {
    name: "phone-menu-dark",
    screen: "phone",
    dark: true,
    settings: SHOP,
    async enter(page, harness) {
      await talk(page, harness);
      await part(page, ".head [aria-haspopup=menu]").click();
      await part(page, "[role=menuitem]").first().waitFor();
    },
  },
  { name: "phone-empty-ar-dark", screen: "phone", dark: true, settings: ARABIC, enter: open },
];
