/** Checks of the chat over a network that delays every answer by seconds. */

import { afterEach, it } from "vitest";
import { type SlowNetwork, startSlowNetwork } from "../slow-network.ts";
import { TIMEOUT_MS } from "./browser.ts";
import { pageOf, type Testbed } from "./checks/testbed.ts";

const TIMEOUT = { timeout: TIMEOUT_MS };

/** @param rounds delays of every answer to test, in seconds */
export function slowTests(testbed: Testbed, rounds: readonly number[]): void {
  let slow: SlowNetwork | undefined;
  afterEach(async () => {
    await slow?.stop();
    slow = undefined;
  });

  it.each(rounds)("where every answer takes %i s, a message is sent and its reply arrives", async (seconds) => {
    slow = await startSlowNetwork(() => Number(new URL(testbed.harness.url).port));
    const { page, chat } = await testbed.visit({ html: pageOf(testbed.tag('data-site="default"', slow.url)) });
    const panel = page.waitForResponse(/panel-/);
    await chat.launcher.hover();
    await panel;
    slow.rtt = seconds * 1_000;
    await chat.launcher.click();
    await chat.composer.waitFor(TIMEOUT);
    await chat.send("slowly");
    await chat.thread.getByText("echo: slowly", { exact: true }).waitFor(TIMEOUT);
  });
}
