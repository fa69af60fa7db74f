import type { Browser, BrowserContext, Page } from "playwright-core";
import { chatOn } from "../browser/browser.ts";
import { forbiddenElements } from "../browser/checks/forbidden-elements.ts";
import { identityOf } from "../identities.ts";
import { startUnprotectedServer } from "../unprotected-server.ts";
import { upload } from "../uploads.ts";
import type { Visitor } from "../visitor.ts";
import type { Payloads, Result } from "./attack.ts";
import { replyOf, type Testbed } from "./testbed.ts";
import { pictures } from "./text.ts";
import { hostileFiles } from "./uploads.ts";

/** Messages in one thread. The thread draws at most 280 rows; earlier ones are not in the page. */
const MESSAGES_PER_THREAD = 240;
const TEXT_MAX = 3_900;
const TRUSTED_TYPES = "require-trusted-types-for 'script'; trusted-types 'none'";

type Porchlight = (...call: unknown[]) => unknown;
type Hooked = Window & { fired: string[]; Porchlight: Porchlight };

/** Runs in the page before other scripts: records every call by which a payload shows that it ran. */
function hook(): void {
  const page = window as unknown as Hooked;
  page.fired = [];
  for (const name of ["alert", "confirm", "prompt", "print", "open"])
    Object.defineProperty(page, name, { value: (text: unknown) => void page.fired.push(`${name} ${text}`) });
  document.addEventListener("securitypolicyviolation", ({ violatedDirective }) => page.fired.push(violatedDirective));
}

type Visit = { page: Page; context: BrowserContext; reports: string[]; otherHosts: string[] };

/** Opens a page of the site under a content policy. Records requests to other hosts, and answers them with 204. */
async function visit({ harness, setPolicy }: Testbed, browser: Browser, policy: string): Promise<Visit> {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const reports: string[] = [];
  const otherHosts: string[] = [];
  page.on("pageerror", (error) => reports.push(error.message));
  page.on("console", (message) => reports.push(message.text()));
  await context.route("**", async (route) => {
    const { origin } = new URL(route.request().url());
    if (origin === harness.url || origin === harness.host) return route.continue();
    otherHosts.push(route.request().url());
    return route.fulfill({ status: 204 });
  });
  await page.addInitScript(hook);
  setPolicy(policy);
  await page.goto(harness.host);
  return { page, context, reports, otherHosts };
}

const fired = (page: Page): Promise<string[]> => page.evaluate(() => (window as unknown as Hooked).fired);

/** The same person on another device: a visitor with this identity, who has sent a message. */
async function sameVisitor({ harness }: Testbed, sub: string): Promise<{ visitor: Visitor; id: string }> {
  const visitor = harness.visitor({ identity: identityOf({ sub }) });
  await visitor.connect();
  await visitor.send(`first words of ${sub}`);
  const message = () => harness.sandbox.messages().find(({ body }) => body === `first words of ${sub}`);
  await harness.sandbox.until(() => message() !== undefined);
  return { visitor, id: message()?.fromId ?? "" };
}

/**
 * One round: sends the texts from both sides in one thread, some as file names. @returns the payloads that ran, and elements
 * that the widget does not create itself
 */
async function showInThread(
  testbed: Testbed,
  browser: Browser,
  texts: readonly string[],
  sub: string,
): Promise<string[]> {
  const { visitor, id } = await sameVisitor(testbed, sub);
  const { page, context, otherHosts } = await visit(testbed, browser, TRUSTED_TYPES);
  const chat = chatOn(page);
  await chat.open();
  await page.evaluate((token) => (window as unknown as Hooked).Porchlight("identify", token), identityOf({ sub }));
  await chat.thread.getByText(`first words of ${sub}`).waitFor();
  const pdf = Buffer.from("%PDF-1.4\n%%EOF");
  for (const [n, text] of texts.entries()) {
    const cut = text.slice(0, TEXT_MAX).toWellFormed();
    await testbed.callback(replyOf(id, cut));
    const file =
      n % 10 === 0 ? await upload(testbed.harness, visitor, pdf, { name: `${cut.slice(0, 150)}.pdf` }) : undefined;
    const extras = file?.status === 201 ? { media: file.answer.key } : {};
    await visitor.send(cut, `${sub}-${n}`, extras).catch(() => undefined);
  }
  await testbed.callback(replyOf(id, `the end of ${sub}`));
  await chat.thread.getByText(`the end of ${sub}`, { exact: true }).waitFor();
  const found = [...(await fired(page)), ...(await forbiddenElements(page)), ...otherHosts];
  await context.close();
  await visitor.close();
  return found;
}

/** Uses the texts as every site setting that is shown, and as the person's name, in one page. */
async function showInSettings(
  testbed: Testbed,
  browser: Browser,
  texts: readonly string[],
  sub: string,
): Promise<string[]> {
  const { page, context } = await visit(testbed, browser, TRUSTED_TYPES);
  const chat = chatOn(page);
  await chat.open();
  const found = await page.evaluate(async (all) => {
    const { Porchlight } = window as unknown as Hooked;
    const wrong: string[] = [];
    for (const text of all) {
      const settings = {
        title: text.slice(0, 80),
        greeting: text.slice(0, 500),
        label: text.slice(0, 40),
        avatar: text,
      };
      await Porchlight("update", {
        ...settings,
        privacyUrl: text,
        suggestions: [text.slice(0, 120)],
        icon: text,
        teaser: text.slice(0, 200),
      });
      await new Promise((resolve) => setTimeout(resolve, 0));
      const root = document.querySelector("porch-light")?.shadowRoot;
      // An invalid address has the protocol ":" and leads nowhere.
      for (const link of root?.querySelectorAll("a") ?? [])
        if (link.href && !["http:", "https:", "mailto:", "tel:", ":"].includes(link.protocol)) wrong.push(link.href);
    }
    return wrong;
  }, texts as string[]);
  for (const [n, name] of texts.entries())
    if (n % 40 === 0) {
      const token = identityOf({ sub: `${sub}-${n}`, name: name.slice(0, 90) });
      await page.evaluate((given) => (window as unknown as Hooked).Porchlight("identify", given), token);
    }
  await page.evaluate(() => (window as unknown as Hooked).Porchlight("update", { greeting: "Hello {name}" }));
  const all = [...found, ...(await fired(page)), ...(await forbiddenElements(page))];
  await context.close();
  return all;
}

/** Milliseconds in which a payload of the control must run. */
const FIRE_MS = 1_000;
/** The control passes if at least this share of the payloads that are known to run does run. */
const FIRE_MIN = 0.9;

/**
 * Triggers everything that needs a user's action: every event handler of an element below `root`, and every link and form
 * control. Runs in the page.
 */
function trigger(root: ParentNode): void {
  for (const element of root.querySelectorAll<HTMLElement>("*")) {
    for (const name of element.getAttributeNames())
      if (name.startsWith("on")) element.dispatchEvent(new Event(name.slice(2), { bubbles: true }));
    if (element.matches("a, area, button, input, label, summary, svg *"))
      element.dispatchEvent(new MouseEvent("click"));
  }
}

/** Writes a text into a new page as markup, and triggers it. @returns whether it ran */
async function firesAsMarkup(page: Page, text: string): Promise<boolean> {
  const open = (): Promise<unknown> => page.goto("http://unprotected.test/");
  // The previous payload may still be navigating to another page.
  await open().catch(open);
  return page
    .evaluate(
      async ({ markup, ms }) => {
        const page = window as unknown as Hooked & { trigger: (root: ParentNode) => void };
        const place = document.createElement("div");
        place.innerHTML = markup;
        document.body.append(place);
        page.trigger(place);
        const end = performance.now() + ms;
        while (page.fired.length === 0 && performance.now() < end)
          await new Promise((resolve) => setTimeout(resolve, 10));
        return page.fired.length > 0;
      },
      { markup: text, ms: FIRE_MS },
    )
    .catch(() => false);
}

/**
 * The control of A12: a page that writes payloads as markup, where they are known to run.
 * @throws when too few run, because the attack could then miss payloads that run in the chat
 */
async function runControl(browser: Browser, texts: readonly string[]): Promise<string> {
  const context = await browser.newContext();
  await context.route("**", (route) => route.fulfill({ status: 200, contentType: "text/html", body: "<body></body>" }));
  const page = await context.newPage();
  await page.addInitScript(hook);
  await page.addInitScript(`window.trigger = ${trigger}`);
  let count = 0;
  for (const text of texts) if (await firesAsMarkup(page, text)) count++;
  await context.close();
  const result = `${count} of ${texts.length} known payloads run on a page that writes them as markup`;
  if (count < FIRE_MIN * texts.length) throw new Error(`The control of A12 is too weak: ${result}`);
  return result;
}

/**
 * A12: payloads in ten places: both sides' texts, names of files and persons, and six settings. Succeeds when a payload runs
 * or becomes an element.
 */
export async function scripts(testbed: Testbed, browser: Browser, { all, firing }: Payloads): Promise<Result> {
  const control = await runControl(browser, firing);
  const found: string[] = [];
  let tried = 0;
  for (let from = 0, round = 0; from < all.length; from += MESSAGES_PER_THREAD / 2, round++) {
    const texts = all.slice(from, from + MESSAGES_PER_THREAD / 2);
    found.push(...(await showInThread(testbed, browser, texts, `script-${round}`)));
    found.push(...(await showInSettings(testbed, browser, texts, `setting-${round}`)));
    tried += 10 * texts.length - texts.filter((_, n) => n % 10 > 0).length - texts.filter((_, n) => n % 40 > 0).length;
  }
  if (found.length > 0) console.error(found.slice(0, 10));
  return { tried, succeeded: found.length, control };
}

/**
 * A14: a conversation on a page whose policy allows only the relay's scripts. Succeeds when the browser reports an error or a
 * violation.
 */
export async function strictPage(testbed: Testbed, browser: Browser): Promise<Result> {
  const { url } = testbed.harness;
  const policy = `default-src 'none'; script-src ${url}; connect-src ${url} ${url.replace(/^http/, "ws")}; ${TRUSTED_TYPES}`;
  const { page, context, reports } = await visit(testbed, browser, policy);
  const chat = chatOn(page);
  await chat.open();
  const tried = 20;
  for (let n = 0; n < tried; n++) await chat.send(`**bold ${n}** and https://shop.example/${n}`);
  await chat.thread.getByText(`bold ${tried - 1}`).waitFor();
  const succeeded = reports.length + (await fired(page)).length;
  await page
    .evaluate(() => {
      const script = document.createElement("script");
      script.src = "https://evil.example/x.js";
      document.head.append(script);
    })
    .catch(() => undefined);
  await page.waitForFunction(() => (window as unknown as Hooked).fired.length > 0);
  await context.close();
  return { tried, succeeded, control: "the browser reports a script from another origin" };
}

/** A15: pictures from other hosts in replies. Succeeds when the page sends a request to such a host. */
export async function foreignPictures(testbed: Testbed, browser: Browser): Promise<Result> {
  const texts = ["https://evil.example/p.png", "//evil.example/p.png"].flatMap(pictures);
  const { visitor, id } = await sameVisitor(testbed, "pictures");
  const { page, context, otherHosts } = await visit(testbed, browser, "");
  const chat = chatOn(page);
  await chat.launcher.first().waitFor();
  await page.evaluate(
    (token) => (window as unknown as Hooked).Porchlight("identify", token),
    identityOf({ sub: "pictures" }),
  );
  await chat.open();
  for (const text of texts) await testbed.callback(replyOf(id, text));
  await testbed.callback(replyOf(id, "the end of the pictures"));
  await chat.thread.getByText("the end of the pictures", { exact: true }).waitFor();
  const succeeded = otherHosts.length;
  await page.evaluate(
    () =>
      new Promise((ended) => {
        const picture = Object.assign(new Image(), { onload: ended, onerror: ended });
        picture.src = "https://evil.example/control.png";
      }),
  );
  const requested = otherHosts.some((address) => address.includes("control.png"));
  await context.close();
  await visitor.close();
  return { tried: texts.length, succeeded, control: `the browser requests a picture of the page itself: ${requested}` };
}

/** A17: hostile files opened directly in the browser. Succeeds when a file runs a script. */
export async function openedUploads(testbed: Testbed, browser: Browser): Promise<Result> {
  const { harness } = testbed;
  const files = new Map(hostileFiles());
  const unprotected = await startUnprotectedServer(files);
  const { visitor } = await testbed.knownVisitor("words of the opened uploads");
  const context = await browser.newContext();
  const runs = async (address: string): Promise<boolean> => {
    const page = await context.newPage();
    await page.addInitScript(hook);
    // A download aborts the navigation.
    await page.goto(address).catch(() => undefined);
    const ran = (await fired(page).catch(() => undefined)) ?? [];
    await page.close();
    return ran.length > 0;
  };
  const counts = { ours: 0, unprotected: 0, tried: 0 };
  const disguises = ["page.html", "a.svg", "photo.png"];
  for (const [name, bytes] of files) {
    if (await runs(unprotected.addressOf(name))) counts.unprotected++;
    for (const disguise of [name, ...disguises]) {
      counts.tried++;
      const { status, answer } = await upload(harness, visitor, new Uint8Array(bytes), { name: disguise });
      if (status === 201 && (await runs(harness.url + answer.url))) counts.ours++;
    }
  }
  await context.close();
  unprotected.stop();
  return {
    tried: counts.tried,
    succeeded: counts.ours,
    control: `${counts.unprotected} of ${files.size} run from an unprotected server`,
  };
}
