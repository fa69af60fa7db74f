/**
 * Visitors in real Chromium write, each with the chat open in two tabs, while the test kills the relay repeatedly and the
 * service drops answers and fails. Afterwards the test compares what the service received with what every page shows.
 */

import { seededRandom } from "@porchlight/shared/seeded-random";
import type { Browser, Page } from "playwright-core";
import type { Common, Report } from "../faults/suites/suite.ts";
import { type Harness, startHarness } from "../harness.ts";
import { runFrom, runProcess } from "../relays.ts";
import { chatOn, launch } from "./browser.ts";

type Options = Common & { seconds: number; kills: number };

const VISITORS = 3;
const TABS = 2;
const FAULTS = [
  { route: "incoming", kind: "status", status: 503, rate: 0.08, when: "before" },
  { route: "incoming", kind: "status", status: 500, rate: 0.08, when: "after" },
  { route: "incoming", kind: "resetConnection", rate: 0.08, when: "after" },
] as const;

/** A visitor with several tabs, and the typed texts in order. */
type Person = { pages: Page[]; typed: string[] };

/** Makes the fault run. @param options.kills kills of the relay, spread over `seconds` */
export async function browserFaultRun({ root, seconds, kills, seed = 1 }: Options): Promise<Report> {
  const begun = performance.now();
  const random = seededRandom(seed);
  const env = { MESSAGES_PER_MINUTE: "0", SOCKETS_PER_ADDRESS: "0" };
  const harness = await startHarness({
    run: root === undefined ? runProcess : runFrom(root),
    env,
    rate: 100_000,
    sandbox: { seed },
  });
  const browser = await launch();
  try {
    let written: () => void = () => {};
    const people = await Promise.all(
      Array.from({ length: VISITORS }, (_, who) => arrive(browser, harness, who, () => written())),
    );
    harness.sandbox.configure({ errorRate: FAULTS });
    const end = performance.now() + seconds * 1_000;
    // On a slow machine the kills take longer, but visitors must be writing at each kill.
    let killing = true;
    const typing = people.map((person, who) => type(person, who, () => killing || performance.now() < end, random));
    const killAll = async (): Promise<void> => {
      for (let kill = 0; kill < kills; kill++) {
        const due = end - seconds * 1_000 + ((kill + 0.5) * seconds * 1_000) / kills;
        await people[0]?.pages[0]?.waitForTimeout(Math.max(0, due - performance.now()));
        // Kill just after an acknowledgement has reached a page. A kill on a timer would hit a relay that has nothing to lose.
        await new Promise<void>((resolve) => {
          written = resolve;
        });
        await harness.kill();
        await harness.start();
      }
      killing = false;
    };
    await Promise.all([killAll(), ...typing]);
    harness.sandbox.configure({ errorRate: [] });
    const violations = (await Promise.all(people.map((person, who) => judge(harness, person, who)))).flat();
    return {
      violations,
      figures: {
        "visitors, pages": `${VISITORS}, ${VISITORS * TABS}`,
        kills,
        messages: people.reduce((sum, { typed }) => sum + typed.length, 0),
        "replies accepted": harness.sandbox.outgoing().filter(({ status }) => status === "Sent").length,
        seconds: Math.round((performance.now() - begun) / 100) / 10,
      },
    };
  } finally {
    await browser.close();
    await harness.stop();
  }
}

/** Opens the chat in each tab, and sends a first message so that all tabs belong to one visitor. */
async function arrive(browser: Browser, harness: Harness, who: number, onWritten: () => void): Promise<Person> {
  const context = await browser.newContext();
  const pages: Page[] = [];
  for (let tab = 0; tab < TABS; tab++) {
    const page = await context.newPage();
    page.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => String(payload).includes('"state":"sent"') && onWritten()),
    );
    await page.goto(`${harness.host}/${tab}`);
    const chat = chatOn(page);
    await chat.launcher.first().waitFor();
    // In the second tab the chat may open by itself.
    if (!(await chat.composer.isVisible())) await chat.open();
    if (tab === 0) await chat.send(`visitor ${who} is here`);
    await chat.thread.getByText(`echo: visitor ${who} is here`, { exact: true }).waitFor();
    pages.push(page);
  }
  return { pages, typed: [`visitor ${who} is here`] };
}

/** Types a message every 0.3 to 1 second, also while the relay is down. */
async function type({ pages, typed }: Person, who: number, more: () => boolean, random: () => number): Promise<void> {
  const [page] = pages;
  if (page === undefined) return;
  const { composer } = chatOn(page);
  while (more()) {
    const text = `visitor ${who} message ${typed.length}`;
    await composer.fill(text);
    await composer.press("Enter");
    // With fifty unsent messages the queue is full. The text stays in the field and is sent later.
    if ((await composer.inputValue()) === "") typed.push(text);
    await page.waitForTimeout(300 + random() * 700);
  }
}

/** Waits until everything has arrived. @returns the differences between typed, received and shown texts */
async function judge(harness: Harness, { pages, typed }: Person, who: number): Promise<string[]> {
  const { sandbox } = harness;
  const ours = () => sandbox.messages().filter(({ body }) => body.startsWith(`visitor ${who} `));
  const arrived = await within(() => new Set(ours().map(({ body }) => body)).size === typed.length);
  const { fromId = "" } = ours()[0] ?? {};
  await within(() => sandbox.outgoing(fromId).filter(({ status }) => status !== null).length >= typed.length);
  const accepted = sandbox.outgoing(fromId).flatMap(({ status, body }) => (status === "Sent" ? [body] : []));
  const violations = [
    ...(arrived ? [] : [`lost: visitor ${who} typed ${typed.length}, the service got ${ours().length}`]),
    ...differences(
      `visitor ${who} at the service`,
      typed,
      ours().map(({ body }) => body),
    ),
  ];
  for (const [tab, page] of pages.entries()) {
    const where = `visitor ${who} tab ${tab}`;
    await within(async () => {
      const found = await shown(page, "reply");
      return accepted.every((text) => found.includes(text));
    });
    // A kill may cut off the answer to a callback that the relay has stored. Such a reply may be shown, although it was not
    // accepted.
    const posted = new Set(sandbox.outgoing(fromId).map(({ body }) => body));
    const found = await shown(page, "reply");
    for (const text of accepted) if (!found.includes(text)) violations.push(`lost: ${where} does not show "${text}"`);
    for (const [i, text] of found.entries()) {
      if (found.indexOf(text) < i) violations.push(`doubled: ${where} shows "${text}" twice`);
      if (!posted.has(text)) violations.push(`forged: ${where} shows "${text}", which was never sent`);
    }
    violations.push(...differences(`${where}, own messages`, typed, await shown(page, "own")));
    const failed = await page.locator(".msg.bad").count();
    if (failed > 0) violations.push(`failed: ${where} shows ${failed} messages that failed`);
  }
  return violations;
}

/** All messages of the page. The test loads earlier ones, because the page initially shows only the newest eighty. */
async function shown(page: Page, side: "own" | "reply"): Promise<string[]> {
  const older = page.locator(".older");
  await within(async () => {
    await older.evaluateAll((pills) => {
      for (const pill of pills) (pill as HTMLElement).click();
    });
    return (await older.count()) === 0;
  });
  return page.locator(`.msg.${side} .bubble`).allInnerTexts();
}

/** The first difference between two lists, if any. */
function differences(what: string, wanted: readonly string[], found: readonly string[]): string[] {
  const at = wanted.findIndex((text, i) => found[i] !== text);
  if (at < 0 && wanted.length === found.length) return [];
  const place = at < 0 ? wanted.length : at;
  return [
    `order: ${what}: entry ${place} is "${found[place]}", not "${wanted[place]}" (${found.length} of ${wanted.length})`,
  ];
}

/** Polls a condition. @returns whether it became true within two minutes */
async function within(condition: () => boolean | Promise<boolean>): Promise<boolean> {
  const end = performance.now() + 120_000;
  while (!(await condition())) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return true;
}
