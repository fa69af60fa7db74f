/**
 * People in real Chromium write, each with the chat open in two tabs, while the relay is killed again and again and the
 * service drops answers and fails. Afterwards the service is asked what it got, and every page what it shows.
 */

import type { Browser, Page } from "playwright-core";
import { seeded } from "../faults/core/world.ts";
import type { Common, Report } from "../faults/suites/suite.ts";
import { type House, startHouse } from "../harness.ts";
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

/** Somebody with the chat open in some tabs, and what they typed, in order. */
type Person = { pages: Page[]; typed: string[] };

export async function browserStorm({ root, seconds, kills, seed = 1 }: Options): Promise<Report> {
  const begun = performance.now();
  const random = seeded(seed);
  const env = { MESSAGES_PER_MINUTE: "0", SOCKETS_PER_ADDRESS: "0" };
  const house = await startHouse({
    run: root === undefined ? runProcess : runFrom(root),
    env,
    rate: 100_000,
    sandbox: { seed },
  });
  const browser = await launch();
  try {
    let written: () => void = () => {};
    const people = await Promise.all(
      Array.from({ length: VISITORS }, (_, who) => arrive(browser, house, who, () => written())),
    );
    house.sandbox.configure({ errorRate: FAULTS });
    const end = performance.now() + seconds * 1_000;
    // On a slow machine the kills take longer: somebody must be writing at each.
    let killing = true;
    const typing = people.map((person, who) => type(person, who, () => killing || performance.now() < end, random));
    const killAll = async (): Promise<void> => {
      for (let kill = 0; kill < kills; kill++) {
        const due = end - seconds * 1_000 + ((kill + 0.5) * seconds * 1_000) / kills;
        await people[0]?.pages[0]?.waitForTimeout(Math.max(0, due - performance.now()));
        // Just after an acknowledgement has reached a page: a kill on a timer would meet a relay that has nothing to lose.
        await new Promise<void>((resolve) => {
          written = resolve;
        });
        await house.kill();
        await house.start();
      }
      killing = false;
    };
    await Promise.all([killAll(), ...typing]);
    house.sandbox.configure({ errorRate: [] });
    const violations = (await Promise.all(people.map((person, who) => judge(house, person, who)))).flat();
    return {
      violations,
      figures: {
        "visitors, pages": `${VISITORS}, ${VISITORS * TABS}`,
        kills,
        messages: people.reduce((sum, { typed }) => sum + typed.length, 0),
        "replies accepted": house.sandbox.outgoing().filter(({ status }) => status === "Sent").length,
        seconds: Math.round((performance.now() - begun) / 100) / 10,
      },
    };
  } finally {
    await browser.close();
    await house.stop();
  }
}

/** Opens the chat in each tab, and says the first words so that the tabs are one visitor's. */
async function arrive(browser: Browser, house: House, who: number, onWritten: () => void): Promise<Person> {
  const context = await browser.newContext();
  const pages: Page[] = [];
  for (let tab = 0; tab < TABS; tab++) {
    const page = await context.newPage();
    page.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => String(payload).includes('"state":"sent"') && onWritten()),
    );
    await page.goto(`${house.host}/${tab}`);
    const chat = chatOn(page);
    await chat.launcher.first().waitFor();
    // The second tab may bring the chat back open by itself.
    if (!(await chat.composer.isVisible())) await chat.open();
    if (tab === 0) await chat.say(`visitor ${who} is here`);
    await chat.thread.getByText(`echo: visitor ${who} is here`, { exact: true }).waitFor();
    pages.push(page);
  }
  return { pages, typed: [`visitor ${who} is here`] };
}

/** Types a message every third to whole of a second, as it may be with a relay that is down. */
async function type({ pages, typed }: Person, who: number, more: () => boolean, random: () => number): Promise<void> {
  const [page] = pages;
  if (page === undefined) return;
  const { composer } = chatOn(page);
  while (more()) {
    const text = `visitor ${who} message ${typed.length}`;
    await composer.fill(text);
    await composer.press("Enter");
    // With fifty unsent there is no room for more, and the text stays in the field: then it is sent later.
    if ((await composer.inputValue()) === "") typed.push(text);
    await page.waitForTimeout(300 + random() * 700);
  }
}

async function judge(house: House, { pages, typed }: Person, who: number): Promise<string[]> {
  const { sandbox } = house;
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
    // A reply whose answer a kill cut off was written all the same: it may be shown, and was not accepted.
    const posted = new Set(sandbox.outgoing(fromId).map(({ body }) => body));
    const found = await shown(page, "reply");
    for (const text of accepted) if (!found.includes(text)) violations.push(`lost: ${where} does not show "${text}"`);
    for (const [i, text] of found.entries()) {
      if (found.indexOf(text) < i) violations.push(`doubled: ${where} shows "${text}" twice`);
      if (!posted.has(text)) violations.push(`forged: ${where} shows "${text}", which nobody sent`);
    }
    violations.push(...differences(`${where}, own messages`, typed, await shown(page, "own")));
    const failed = await page.locator(".msg.bad").count();
    if (failed > 0) violations.push(`failed: ${where} shows ${failed} messages that failed`);
  }
  return violations;
}

/** All that the page has: by itself it draws only the newest eighty. */
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

/** Where two lists part, if they do. */
function differences(what: string, wanted: readonly string[], found: readonly string[]): string[] {
  const at = wanted.findIndex((text, i) => found[i] !== text);
  if (at < 0 && wanted.length === found.length) return [];
  const place = at < 0 ? wanted.length : at;
  return [
    `order: ${what}: at ${place} stands "${found[place]}", not "${wanted[place]}" (${found.length} of ${wanted.length})`,
  ];
}

/** Asks again and again until it holds; false when it did not within two minutes. */
async function within(condition: () => boolean | Promise<boolean>): Promise<boolean> {
  const end = performance.now() + 120_000;
  while (!(await condition())) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return true;
}
