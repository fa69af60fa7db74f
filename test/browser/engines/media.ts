/** Voice messages, pictures, players and the start screen, in each engine. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeHelpArticles } from "../help-articles.ts";
import { PIXEL } from "../png.ts";
import { PHONE } from "./engine.ts";
import { POLL } from "./panel.ts";
import type { Testbed } from "./testbed.ts";

const SITE = 'data-site="default"';

/** @param name of the engine, for the names of the tests */
export function mediaIn(name: string, testbed: Testbed): void {
  it(`in ${name} the start screen finds help articles, and leads to the chat`, async () => {
    writeHelpArticles(testbed.harness.dataDir);
    const { tab, chat } = await testbed.visit({ body: testbed.tag(`${SITE} data-start-screen`) });
    await chat.click({ css: ".launcher" });
    await chat.find({ css: ".articles button", text: "Delivery" });
    await chat.click({ css: ".search input" });
    await tab.type("30 days");
    await chat.gone({ css: ".articles button", text: "Delivery" });
    await chat.click({ css: ".articles button", text: "Returns" });
    await chat.find({ css: "article strong", text: "30 days" });
    await chat.click({ css: "button", text: "Send us a message" });
    await chat.send("Hello");
    await chat.shows("echo: Hello");
  });

  it(`in ${name} a voice message is recorded, sent and played, or not offered where the browser cannot record`, async () => {
    const settings = '<script>PorchlightSettings = { prefill: { message: "Prepared" } }</script>';
    const { tab, chat } = await testbed.visit({ body: settings + testbed.tag(`${SITE} data-voice`) });
    await tab.run(fakeMicrophone);
    await chat.open();
    // The code that draws the button also fills in the prepared message. The button appears when the field is empty.
    await expect.poll(() => chat.draft(), POLL).toBe("Prepared");
    await chat.click({ css: "button", text: "Send message" });
    await chat.shows("echo: Prepared");
    const record = { css: "button", text: "Record a voice message" };
    if (!(await tab.run(canRecord))) {
      expect(await chat.see(record)).toBeNull();
      return;
    }
    await chat.click(record);
    await chat.find({ css: ".recording .send" });
    await expect.poll(() => tab.run(recorded), POLL).toBe(true);
    await chat.click({ css: "button", text: "Add the recording" });
    await chat.find({ css: ".tray li" });
    await chat.gone({ css: ".tray progress" });
    await chat.click({ css: "button", text: "Send message" });
    await testbed.harness.sandbox.until((sandbox) => sandbox.messages().length === 2);
    expect(testbed.harness.sandbox.messages()[1]).toMatchObject({ media: { type: expect.stringMatching(/^audio\//) } });
    // The player knows the length only after it has searched for the end of the recording.
    await expect.poll(() => tab.run(player), POLL).toEqual({ knowsLength: true, at: 0, slider: "0:00" });
  });

  it(`in ${name} a picture opens large, and Escape closes it`, async () => {
    const file = join(testbed.harness.dataDir, "lamp.png");
    writeFileSync(file, PIXEL);
    const { tab, chat } = await testbed.visit();
    await chat.open();
    await tab.pick(file);
    await chat.find({ css: ".tray li" });
    await chat.gone({ css: ".tray progress" });
    await chat.click({ css: "button", text: "Send message" });
    await chat.click({ css: ".own .picture" });
    await chat.find({ css: ".lightbox[open] img" });
    await tab.press("Escape");
    await chat.gone({ css: ".lightbox" });
    await chat.find({ css: "textarea" });
  });

  it(`in ${name} a phone offers its camera where the site does`, async () => {
    if (testbed.engine.name === "Firefox") await testbed.inEnvironment({ touch: true });
    const { tab, chat } = await testbed.visit({ size: PHONE, body: testbed.tag(`${SITE} data-camera`) });
    await chat.click({ css: ".launcher" });
    await chat.find({ css: "textarea" });
    // WebKit's screen cannot be touched here, so it is no phone.
    const camera = () => tab.run(hasCamera);
    if (testbed.engine.name === "Firefox") await expect.poll(camera, POLL).toBe(true);
    else expect(await camera()).toBe(false);
  });
}

/** The functions below run in the page. */

/** A microphone that plays a tone. */
function fakeMicrophone(): void {
  const getUserMedia = async (): Promise<MediaStream> => {
    const context = new AudioContext();
    const [tone, target] = [context.createOscillator(), context.createMediaStreamDestination()];
    tone.connect(target);
    tone.start();
    void context.resume();
    return target.stream;
  };
  Object.defineProperty(navigator, "mediaDevices", { value: { getUserMedia } });
}

/** WebKit as Debian builds it has a recorder that always throws, since it has no media encoders. */
function canRecord(): boolean {
  try {
    return ["audio/mp4", "audio/ogg;codecs=opus", "audio/webm;codecs=opus"].some((type) =>
      MediaRecorder.isTypeSupported(type),
    );
  } catch {
    return false;
  }
}

/** Whether a second was recorded. */
const recorded = (): boolean =>
  /0:0[1-9]/.test(document.querySelector("porch-light")?.shadowRoot?.querySelector(".recording")?.textContent ?? "");

/** What the player knows of the recording, which may be short on a busy machine, and the position that a screen reader says. */
function player() {
  const sound = document.querySelector("porch-light")?.shadowRoot?.querySelector(".sound");
  const audio = sound?.querySelector("audio");
  return {
    knowsLength: Number.isFinite(audio?.duration),
    at: audio?.currentTime,
    slider: sound?.querySelector("input")?.getAttribute("aria-valuetext")?.split(" / ")[0],
  };
}

const hasCamera = (): boolean =>
  Boolean(document.querySelector("porch-light")?.shadowRoot?.querySelector("input[capture]"));
