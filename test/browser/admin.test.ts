import { readFileSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROUTE_ROWS } from "../../relay/src/app.ts";
import { openSqlite } from "../../relay/src/db/sqlite.ts";
import { type House, SCRIPTED, startHouse } from "../harness.ts";
import { launch } from "./browser.ts";

/** Every page of the admin, apart from the login. */
const PAGES = ROUTE_ROWS.filter(
  ({ method, path }) => method === "GET" && /^\/admin(\/|$)/.test(path) && !/\/(login|find)$|\.(css|js)$/.test(path),
).map(({ path }) => path);

/** Longest time to wait for anything in a page, in ms: as long as a poll of vitest.config.ts. */
const PATIENCE_MS = 60_000;

let house: House;
let browser: Browser;
let token: string;
let visitor: string;
let message: string;

beforeAll(async () => {
  house = await startHouse({ sandbox: { ...SCRIPTED, botActive: false } });
  browser = await launch();
  token = (JSON.parse(readFileSync(join(house.dataDir, "secrets.json"), "utf8")) as { admin: string }).admin;
  const somebody = house.visitor();
  await somebody.connect();
  await somebody.send("a word that is found");
  await somebody.sees((each) => each.from === "visitor" && each.state === "delivered");
  visitor = house.sandbox.messages().at(-1)?.fromId ?? "";
  house.sandbox.failNext("incoming", 1, 400);
  message = (await somebody.send("this one fails")).id;
  await somebody.sees(({ id, ...rest }) => id === message && rest.from === "visitor" && rest.state === "failed");
});
afterAll(async () => {
  await browser.close();
  await house.stop();
});

/** Violations that axe finds, and whether the page is wider than its window. */
async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, {
      resultTypes: ["violations"],
    });
    const wide = document.documentElement.scrollWidth > window.innerWidth ? ["wider than the window"] : [];
    return [...wide, ...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)];
  });
}

it.each([
  ["a desktop, light", { viewport: { width: 1280, height: 800 }, colorScheme: "light" }],
  ["a phone, dark", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }],
] as const)("the admin pages are accessible on %s, and fit its width", async (_, options) => {
  const context = await browser.newContext({ ...options, bypassCSP: true });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults: Record<string, string[]> = {};
  await page.goto(`${house.url}/admin`);
  faults.login = await faultsOf(page);
  await page.getByLabel("Admin token").fill(token);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  for (const path of PAGES) {
    await page.goto(house.url + path.replace(":visitor", visitor).replace(":id", message).replace("*", "no-such-page"));
    faults[path] = await faultsOf(page);
  }
  expect(Object.entries(faults).filter(([, found]) => found.length > 0)).toEqual([]);
  await context.close();
});

it("a button copies the site's tag under the page's own policy, and the preview is the real chat", async () => {
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await page.goto(`${house.url}/admin`);
  await page.getByLabel("Admin token").fill(token);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.goto(`${house.url}/admin/sites`);
  await page.getByRole("button", { name: "Copy the tag" }).click();
  await page.getByText("Copied.").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `<script async src="${house.url.replace("127.0.0.1", "localhost")}/widget.js" data-site="default"></script>`,
  );
  await page.getByText("Preview").click();
  await page.frameLocator("iframe").getByRole("textbox", { name: "Message" }).waitFor();
  await context.close();
});

it("a plot shows its values beside its lines, on a phone too", async () => {
  const counts = {
    messages: { stored: 123_456, reply: 5 },
    answers: {},
    delivery: [],
    reply: [],
    connections: 1,
    waiting: 0,
    pace: 0,
  };
  const db = openSqlite(join(house.dataDir, "porchlight.db"));
  // An hour before this relay began: it writes the row of each later hour itself.
  const hour = Math.floor(Date.now() / 3_600_000 - 24) * 3_600_000;
  await db.run(
    "INSERT INTO series (step, at, node, body) VALUES (3600, $1, '', $2)",
    hour,
    JSON.stringify({ ...counts, delivery: [0, 0, 7], reply: Array.from({ length: 13 }, () => 9) }),
  );
  await db.close();
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await page.goto(`${house.url}/admin`);
  await page.getByLabel("Admin token").fill(token);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.goto(`${house.url}/admin?range=week`);
  expect(await page.locator("svg.plot text").allTextContents()).toEqual(expect.arrayContaining(["200K", "2.8 h"]));
  const over = await page.locator("svg.plot").evaluateAll((plots) =>
    plots.flatMap((plot) => {
      const left = plot.querySelector(".grid")?.getBoundingClientRect().left ?? 0;
      return [...plot.querySelectorAll("text[x='0']")]
        .filter((text) => text.getBoundingClientRect().right > left)
        .map((text) => text.textContent);
    }),
  );
  expect(over).toEqual([]);
  await context.close();
});

it("a failed message can be found by its id and sent again with the keyboard alone", async () => {
  const context = await browser.newContext();
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await page.goto(`${house.url}/admin`);
  // The browser focuses the field when it first draws the page, possibly after the load event.
  await page.locator("input[name=token]:focus").waitFor();
  await page.keyboard.type(token);
  await page.keyboard.press("Enter");
  await page.getByRole("searchbox").focus();
  await page.keyboard.type(message);
  await page.keyboard.press("Enter");
  await page.getByText("Failed after 1 try").waitFor();
  await page.getByRole("button", { name: "Retry" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("1 started again.").waitFor();
  // The same page shows the message's next states.
  expect(page.url()).toContain(`/messages/${visitor}/${message}`);
  await house.sandbox.until((sandbox) => sandbox.messages().some(({ body }) => body === "this one fails"));
  await context.close();
});
