import { readFileSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROUTE_ROWS } from "../../relay/src/app.ts";
import type { Transaction } from "../../relay/src/db/database.ts";
import { openSqlite } from "../../relay/src/db/sqlite.ts";
import { raiseAlert } from "../../relay/src/records/alerts.ts";
import { addBlock } from "../../relay/src/records/blocks.ts";
import { addEvent, setEvent, withTry } from "../../relay/src/records/events.ts";
import { addLead, setLead } from "../../relay/src/records/leads.ts";
import { WAIT_REASONS } from "../../relay/src/records/ledger/grants.ts";
import { addEntry } from "../../relay/src/records/ledger/ledger.ts";
import { addMail, setMail } from "../../relay/src/records/mails.ts";
import { endAllAdminSessions } from "../../relay/src/records/operators.ts";
import { addOutboxEntry, scheduleRetry } from "../../relay/src/records/outbox.ts";
import { appendSent, numbersOf } from "../../relay/src/records/threads.ts";
import { addVisitor } from "../../relay/src/records/visitors.ts";
import { sampleOf } from "../all-cases.ts";
import { type Harness, NO_RANDOM_FAULTS, startHarness } from "../harness.ts";
import { upload } from "../uploads.ts";
import { launch, TIMEOUT_MS } from "./browser.ts";
import { png } from "./png.ts";

/** Every page of the admin, apart from the login. */
const PAGES = ROUTE_ROWS.filter(
  ({ method, path }) => method === "GET" && /^\/admin(\/|$)/.test(path) && !/\/(login|find)$|\.(css|js)$/.test(path),
).map(({ path }) => path);

let harness: Harness;
let browser: Browser;
let token: string;
let visitor: string;
let message: string;

beforeAll(async () => {
  harness = await startHarness({ sites: { "second-site": {} }, sandbox: { ...NO_RANDOM_FAULTS, botActive: false } });
  browser = await launch();
  token = (JSON.parse(readFileSync(join(harness.dataDir, "secrets.json"), "utf8")) as { admin: string }).admin;
  const somebody = harness.visitor();
  await somebody.connect();
  await somebody.send("a word that is found");
  await somebody.sees((each) => each.from === "visitor" && each.state === "delivered");
  visitor = harness.sandbox.messages().at(-1)?.fromId ?? "";
  harness.sandbox.failNext("incoming", 1, 400);
  message = (await somebody.send("this one fails")).id;
  await somebody.sees(({ id, ...rest }) => id === message && rest.from === "visitor" && rest.state === "failed");
  await fill();
});
afterAll(async () => {
  await browser.close();
  await harness.stop();
});

/** A message that the service has refused three times. Its next try is in a hundred days. */
async function addWaiting(tx: Transaction, at: number): Promise<void> {
  const of = { visitor: "v_of_a_message_that_waits_for_the_service", turn: 1, pos: 1 };
  const due = at + 100 * 86_400_000;
  await addVisitor(tx, of.visitor, "second-site", at);
  const numbers = await numbersOf(tx, [of.visitor]);
  const text = "A message that is long enough to be cut in the list of what waits for the service";
  await appendSent(tx, numbers, [{ ...of, id: "waits", text, at, sid: "pl_waits" }]);
  await numbers.write(tx);
  const open = { account: "default", attempts: 0, due, expires: due, reaction: null, reaction_sid: null };
  await addOutboxEntry(tx, { ...of, ...open });
  await scheduleRetry(tx, { ...of, attempts: 3, error: "401: Service-side error" }, due);
}

/** Work of the past with long names and problems, so that no page is empty. Nothing of it is due. */
async function fill(): Promise<void> {
  const db = openSqlite(join(harness.dataDir, "porchlight.db"));
  const at = Date.now() - 3_600_000;
  const due = Number.MAX_SAFE_INTEGER;
  const email = "a-long-name-of-a-customer@shop-with-a-long-name.example";
  const problem = `The service answered 422: "${email}" is not a known address`;
  const name = { visitor, site: "default", account: "default" };
  const person = { firstName: "Wilhelmina", lastName: "Featherstonehaugh", email, phone: "+4791234567" };
  await db.transaction(async (tx) => {
    await addLead(tx, { ...name, ...person, id: "lead-1", consent: null, own: 1, lists: null, due, at });
    const refused = { state: "refused", problem, field: "email", contact: null, attempts: 3, due } as const;
    await setLead(tx, { visitor, id: "lead-1" }, refused);
    const event = { id: "evt_1", site: "default", visitor, type: "message.reply", body: "{}", at } as const;
    await addEvent(tx, event);
    const tries = withTry(
      { tries: withTry({ tries: "[]" }, { at, status: 0, problem: null }) },
      { at, status: 503, problem },
    );
    await setEvent(tx, { id: event.id, state: "failed", attempts: 2, due, status: 503, problem, tries });
    await addWaiting(tx, at);
    await addBlock(tx, { site: "default", value: "2001:db8:1234:5678::/64", reason: "a flood", actor: "cli", at });
    const mail = { id: "mail-1", visitor, address: email, since: 0, upto: 1, page: harness.url, locale: "en", at };
    await addMail(tx, { ...mail, kind: "replies" });
    await setMail(tx, { id: mail.id, state: "failed", attempts: 3, due, problem });
    for (const [key, kind, content] of [
      [
        "a-key-of-a-grant-that-is-long-enough-to-be-cut",
        "grant",
        { email, amount: 1_000, note: "", source: "request" },
      ],
      ["shipped-1042", "send", { site: "default", text: "Order 1042 is on its way.", email }],
    ] as const) {
      const entry = { kind, key, account: "default", lane: email, digest: key, content: JSON.stringify(content) };
      await addEntry(tx, { ...entry, state: "received", reason: WAIT_REASONS.approval, actor: "test", now: at });
    }
    await raiseAlert(tx, { ...ALERT, subject: "former", problem: "The service refuses account former.", since: at });
  });
  await db.close();
}
/** An alert of a kind that no check of the relay looks for: the relay ends all others within 30 seconds. */
const ALERT = { kind: "test", subject: "other", cure: "Look at its key.", unsentTo: "" };

/** Opens a page of the admin after a sign-in. */
async function signIn(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  await page.goto(`${harness.url}/admin`);
  await page.getByLabel("Admin token").fill(token);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  return page;
}

/** The pages whose tables have a row for each thing. */
const LISTS = [
  ...["leads", "mails", "webhooks", "blocks", "ledger", "alerts"],
  ...["deliveries", "conversations", "audit"],
];

const [DESKTOP, PHONE, SMALL_PHONE] = [
  { width: 1_280, height: 800 },
  { width: 390, height: 844 },
  { width: 320, height: 640 },
];
/**
 * The looks, each with the rules of axe to check: the second colours of a desktop need only those about colours. `npm test`
 * takes the first two.
 */
const LOOKS = sampleOf(
  [
    [DESKTOP, "light", undefined],
    [SMALL_PHONE, "dark", undefined],
    [DESKTOP, "dark", ["color-contrast"]],
    [PHONE, "light", undefined],
  ] as const,
  [0, 1],
);

/**
 * Violations that axe finds in each look, what it leaves to a person (except contrasts that it cannot see), and whether the
 * page is wider than its window.
 */
async function faultsOf(page: Page): Promise<string[]> {
  const all: string[] = [];
  await page.evaluate(axe.source);
  for (const [viewport, colorScheme, rules] of LOOKS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate(async (only) => {
      const { violations, incomplete } = await (window as unknown as { axe: typeof axe }).axe.run(document, {
        resultTypes: ["violations", "incomplete"],
        ...(only && { runOnly: [...only] }),
      });
      const unsure = incomplete.filter(({ id }) => id !== "color-contrast");
      const wide = document.documentElement.scrollWidth > window.innerWidth ? ["wider than the window"] : [];
      return [...wide, ...[...violations, ...unsure].map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)];
    }, rules);
    all.push(...found.map((fault) => `${viewport.width} px, ${colorScheme}: ${fault}`));
  }
  return all;
}

it("the admin pages and the root page are accessible on desktops and phones, light and dark, and fit the window's width", async () => {
  const context = await browser.newContext({ bypassCSP: true });
  context.setDefaultTimeout(TIMEOUT_MS);
  const login = await context.newPage();
  await login.goto(`${harness.url}/admin`);
  const faults: Record<string, string[]> = { login: await faultsOf(login) };
  await login.goto(harness.url);
  faults.root = await faultsOf(login);
  await context.close();
  const page = await signIn({ bypassCSP: true });
  for (const path of PAGES) {
    const names = {
      ":visitor": visitor,
      ":id": message,
      ":kind{send|grant}": "send",
      ":account": "default",
      ":key": "shipped-1042",
    };
    const filled = Object.entries(names).reduce((all, [name, value]) => all.replace(name, value), path);
    await page.goto(harness.url + filled.replace("*", "no-such-page"));
    faults[path] = await faultsOf(page);
  }
  expect(Object.entries(faults).filter(([, found]) => found.length > 0)).toEqual([]);
  await page.context().close();
});

it("the ledger shows the whole sub-account and key of a grant, and no table of a filled page is cut at 1,280 pixels", async () => {
  const page = await signIn({ viewport: DESKTOP });
  const cut: string[] = [];
  for (const path of LISTS) {
    await page.goto(`${harness.url}/admin/${path}`);
    for (const each of await page.locator("td summary").all()) await each.click();
    const tables = await page
      .locator(".scroll")
      .evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth));
    expect(tables, path).not.toEqual([]);
    if (tables.some((hidden) => hidden > 0)) cut.push(path);
    const whole = await page
      .locator("td .whole")
      .evaluateAll((all) => all.every((one) => one.scrollWidth <= one.clientWidth));
    if (!whole) cut.push(`${path}, a text`);
  }
  expect(cut).toEqual([]);
  await page.goto(`${harness.url}/admin/ledger`);
  for (const text of [
    "a-key-of-a-grant-that-is-long-enough-to-be-cut",
    "a-long-name-of-a-customer@shop-with-a-long-name.example",
  ])
    expect(await page.locator("td .whole", { hasText: text }).count(), text).toBeGreaterThan(0);
  await page.context().close();
});

it("on a small phone, nothing in a table reaches over its edge, and the buttons for chosen messages take two rows", async () => {
  const page = await signIn({ viewport: SMALL_PHONE });
  const over: string[] = [];
  for (const path of LISTS) {
    await page.goto(`${harness.url}/admin/${path}`);
    const found = await page.locator("td:not(.none)").evaluateAll((all) =>
      all.flatMap((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        const edge = cell.getBoundingClientRect().right - Number.parseFloat(getComputedStyle(cell).paddingRight);
        return range.getBoundingClientRect().right > edge + 1 ? [cell.textContent] : [];
      }),
    );
    over.push(...found.map((text) => `${path}: ${text}`));
  }
  expect(over).toEqual([]);
  await page.goto(`${harness.url}/admin/deliveries`);
  const buttons = await page
    .locator(".bulk")
    .locator("button, .button")
    .evaluateAll((all) =>
      all.map((one) => {
        const { left, top, width, height } = one.getBoundingClientRect();
        return { left, top, width, height };
      }),
    );
  expect(buttons).toHaveLength(4);
  const different = (side: keyof (typeof buttons)[number]): number =>
    new Set(buttons.map((button) => Math.round(button[side]))).size;
  expect({ columns: different("left"), widths: different("width"), rows: different("top") }).toEqual({
    columns: 2,
    widths: 1,
    rows: 2,
  });
  // Each is large enough for a thumb (WCAG 2.5.5), and two of them fill the width.
  expect(Math.min(...buttons.map(({ height }) => height))).toBeGreaterThanOrEqual(44);
  expect(2 * (buttons[0]?.width ?? 0)).toBeGreaterThan(0.85 * SMALL_PHONE.width);
  await page.context().close();
});

it("on a phone, everything in a cell of a table is beside its label, and not below it", async () => {
  const page = await signIn({ viewport: PHONE });
  for (const path of [...LISTS, "doctor", "settings", "callbacks"]) {
    await page.goto(`${harness.url}/admin/${path}`);
    const below = await page.locator("td:not(.none)").evaluateAll((all) =>
      all.flatMap((cell) => {
        const edge = cell.getBoundingClientRect().left + 100;
        const parts = [...cell.childNodes].map((part) => {
          const range = document.createRange();
          range.selectNode(part);
          return { left: range.getBoundingClientRect().left, text: part.textContent };
        });
        return parts.filter(({ left, text }) => text?.trim() !== "" && left < edge).map(({ text }) => text);
      }),
    );
    expect(below, path).toEqual([]);
  }
  await page.context().close();
});

it("the items of the navigation stay where they are, whichever page is open", async () => {
  const page = await signIn({ viewport: { width: 2_000, height: 800 } });
  const places = new Set<string>();
  for (const path of ["", "/conversations", "/ledger", "/audit"]) {
    await page.goto(`${harness.url}/admin${path}`);
    places.add(
      (await page.locator("nav a").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left))).join(),
    );
  }
  expect([...places]).toHaveLength(1);
  await page.context().close();
});

it("the buttons for chosen messages are in view without scrolling, however long the list is", async () => {
  const page = await signIn({ viewport: { width: 390, height: 420 } });
  await page.goto(`${harness.url}/admin/deliveries`);
  const box = await page.getByRole("button", { name: "Retry the chosen" }).boundingBox();
  expect((box?.y ?? Number.NaN) + (box?.height ?? 0)).toBeLessThanOrEqual(420);
  await page.context().close();
});

it("shows texts that are written from right to left as such, in a conversation and on a message's page", async () => {
  const page = await signIn();
  const somebody = harness.visitor();
  await somebody.connect();
  const { id } = await somebody.send("أين طلبي 1042؟");
  await somebody.sees((each) => each.id === id && each.from === "visitor" && each.state === "delivered");
  const direction = (text: Locator) => text.evaluate((element) => getComputedStyle(element).direction);
  await page.goto(`${harness.url}/admin/find?id=${id}`);
  expect(await direction(page.getByRole("region", { name: "Text of the message" }))).toBe("rtl");
  await page.locator("dd a.id").click();
  expect(await direction(page.locator(".thread p"))).toBe("rtl");
  await page.context().close();
});

it("a conversation and a message's page show the picture of a message, and lead to the file", async () => {
  const page = await signIn();
  const somebody = harness.visitor();
  await somebody.connect();
  const picture = Buffer.from(png(640, 480));
  const { answer } = await upload(harness, somebody, picture, { name: "broken lamp.png" });
  const { id } = await somebody.send("", undefined, { media: answer.key });
  await somebody.sees((each) => each.id === id && each.from === "visitor" && each.state === "delivered");
  const widthOf = (img: Locator) =>
    img.evaluate((element: HTMLImageElement) => element.decode().then(() => element.naturalWidth));
  await page.goto(`${harness.url}/admin/conversations`);
  expect(await page.getByRole("row").nth(1).textContent()).toContain("[file]");
  await page.goto(`${harness.url}/admin/find?id=${id}`);
  expect(await widthOf(page.locator(".file img"))).toBe(640);
  await page.locator("dd a.id").click();
  expect(await widthOf(page.locator(".thread img"))).toBe(640);
  // A picture that has not arrived has its place already.
  await page.route("**/media/**", (route) => route.abort());
  await page.reload();
  expect(await page.locator(".thread img").boundingBox()).toMatchObject({ width: 300, height: 225 });
  await page.unroute("**/media/**");
  const opens = page.waitForEvent("popup");
  await page.getByRole("link", { name: "broken lamp.png" }).click();
  const tab = await opens;
  await tab.waitForLoadState();
  expect(await widthOf(tab.locator("img"))).toBe(640);
  await page.context().close();
});

it("the overview shows a new problem without a reload, and says when it can no longer be updated", async () => {
  const page = await signIn();
  await page.clock.install();
  await page.goto(`${harness.url}/admin`);
  const db = openSqlite(join(harness.dataDir, "porchlight.db"));
  await db.transaction((tx) => raiseAlert(tx, { ...ALERT, problem: "The lamp is out.", since: Date.now() }));
  await page.clock.runFor(15_000);
  await page.getByText("The lamp is out. Look at its key.").waitFor();

  /** What the page says about its age, after some more updates. */
  const stale = async (): Promise<string | null> => {
    await page.clock.runFor(15_000);
    return page.locator("#stale").textContent();
  };
  await page.route("**/admin", (route) => route.abort());
  await expect.poll(stale).toMatch(/^Not updated since \d\d:\d\d:\d\d UTC: the relay does not answer\./);
  await page.unroute("**/admin");
  await expect.poll(stale).toBe("");
  await db.transaction((tx) => endAllAdminSessions(tx, "ended by the test"));
  await db.close();
  await expect.poll(stale).toContain("your session has ended. Sign in");
  await page.context().close();
});

it("a button copies the site's tag under the page's own policy, and the preview is the real chat", async () => {
  const page = await signIn({ permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(`${harness.url}/admin/sites`);
  await page.getByRole("button", { name: "Copy the tag" }).first().click();
  await page.getByText("Copied.").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `<script async src="${harness.url.replace("127.0.0.1", "localhost")}/widget.js" data-site="default"></script>`,
  );
  await page.getByText("Preview").first().click();
  await page.frameLocator("iframe").first().getByRole("textbox", { name: "Message" }).waitFor();
  await page.context().close();
});

it("a plot shows its values beside its axis, on a small phone too", async () => {
  const counts = {
    messages: { stored: 123_456, reply: 5 },
    answers: {},
    delivery: [],
    reply: [],
    connections: 1,
    waiting: 0,
    pace: 0,
  };
  const db = openSqlite(join(harness.dataDir, "porchlight.db"));
  // An hour before this relay began: it writes the row of each later hour itself.
  const hour = Math.floor(Date.now() / 3_600_000 - 24) * 3_600_000;
  await db.run(
    "INSERT INTO series (step, at, node, body) VALUES (3600, $1, '', $2)",
    hour,
    JSON.stringify({ ...counts, delivery: [0, 0, 7], reply: Array.from({ length: 13 }, () => 9) }),
  );
  await db.close();
  const page = await signIn({ viewport: SMALL_PHONE });
  await page.goto(`${harness.url}/admin?range=week`);
  expect(await page.locator("svg.plot text").allTextContents()).toEqual(expect.arrayContaining(["200K", "2.8 h"]));
  const over = await page.locator("svg.plot").evaluateAll((plots) =>
    plots.flatMap((plot) => {
      const left = plot.querySelector(".grid")?.getBoundingClientRect().left ?? 0;
      return [...plot.querySelectorAll("text.value")]
        .filter((text) => {
          const { left: begin, right } = text.getBoundingClientRect();
          // A value stands beside its axis, and within the plot.
          return right > left || right < left - 10 || begin < plot.getBoundingClientRect().left;
        })
        .map((text) => text.textContent);
    }),
  );
  expect(over).toEqual([]);
  await page.context().close();
});

it("a failed message can be found by its id and sent again with the keyboard alone", async () => {
  const context = await browser.newContext();
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  await page.goto(`${harness.url}/admin`);
  // The browser focuses the field when it first draws the page, possibly after the load event.
  await page.locator("input[name=token]:focus").waitFor();
  await page.keyboard.type(token);
  await page.keyboard.press("Enter");
  await page.getByRole("searchbox").focus();
  await page.keyboard.type(message);
  await page.keyboard.press("Enter");
  await page.getByText("Failed after 1 try").waitFor();
  await page.getByRole("button", { name: "Retry" }).focus();
  harness.sandbox.failNext("incoming", 1, 503);
  await page.keyboard.press("Enter");
  await page.getByText("You sent this message again.").waitFor();
  // The same page shows the message's next states without a reload.
  const opened = await page.evaluate(() => performance.timeOrigin);
  await page.getByText("Accepted by the service").waitFor();
  await page.getByRole("status").getByText("delivered", { exact: true }).waitFor();
  expect(await page.evaluate(() => performance.timeOrigin)).toBe(opened);
  expect(page.url()).toContain(`/messages/${visitor}/${message}`);
  await context.close();
});

it("without scripts, a link of a message's page shows its present state", async () => {
  const page = await signIn({ javaScriptEnabled: false });
  await page.goto(`${harness.url}/admin/messages/${visitor}/${message}?retried=1`);
  await page.getByText("You sent this message again.").waitFor();
  await page.getByRole("link", { name: "Show the present state" }).click();
  await page.getByText("You sent this message again.").waitFor({ state: "detached" });
  expect(new URL(page.url()).pathname).toBe(`/admin/messages/${visitor}/${message}`);
  await page.context().close();
});
