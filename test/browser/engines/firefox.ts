/** Debian's Firefox, controlled over WebDriver BiDi, which Firefox supports without a driver. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firefoxPath } from "../../setup/programs.ts";
import { type Bidi, connectBidi } from "./bidi.ts";
import { startChild } from "./child.ts";
import { chord, clicks, type Engine, type Environment, type Size, strokes, type Tab } from "./engine.ts";

/** Preferences that stop Firefox's own network requests and dialogs. */
const QUIET = {
  "app.update.auto": false,
  "browser.newtabpage.enabled": false,
  "browser.safebrowsing.downloads.remote.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false,
  "extensions.getAddons.cache.enabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "remote.events.async.wheel.enabled": true,
  "services.settings.server": "data:,#remote-settings-dummy/v1",
  "toolkit.telemetry.server": "",
};

/**
 * Preferences for a visitor's settings. Pointers: 1 coarse, 2 fine, 4 can hover. Headless Firefox reports no pointer by
 * default.
 */
const preferences = ({ dark, blocksStorage, touch }: Environment): Record<string, number> => ({
  "layout.css.prefers-color-scheme.content-override": dark ? 0 : 1,
  "network.cookie.cookieBehavior": blocksStorage ? 2 : 5,
  "ui.primaryPointerCapabilities": touch ? 1 : 6,
  "ui.allPointerCapabilities": touch ? 1 : 6,
});

type Context = { context: string };
type Evaluated = { type: string; result: { value: string; sharedId: string }; exceptionDetails?: { text: string } };
type Logged = { level: string; text: string };

/** Starts a headless Firefox with a new profile, which `close` removes. */
export async function startFirefox(): Promise<Engine> {
  const profile = await mkdtemp(join(tmpdir(), "porchlight-firefox-"));
  const lines = Object.entries(QUIET).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  await writeFile(join(profile, "user.js"), lines.join("\n"));
  const child = startChild(
    firefoxPath(),
    // Only the browser's own window gives access to preferences and input methods.
    ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0", "--remote-allow-system-access"],
    { HOME: profile, MOZ_CRASHREPORTER_DISABLE: "1" },
  );
  const [, url] = await child.waitForOutput(/WebDriver BiDi listening on (ws:\S+)\s/);
  let consoleErrors: string[] = [];
  const bidi = await connectBidi(`${url}/session`, (_method, { level, text }: Logged) => {
    if (level === "error") consoleErrors.push(text);
  });
  await bidi.call("session.new", { capabilities: {} });
  await bidi.call("session.subscribe", { events: ["log.entryAdded"] });
  const { contexts } = await bidi.call<{ contexts: Context[] }>("browsingContext.getTree", { "moz:scope": "chrome" });
  const chrome = contexts[0]?.context ?? "";
  let user: string | undefined;

  return {
    name: "Firefox",
    async begin(environment) {
      if (user) await bidi.call("browser.removeUserContext", { userContext: user });
      consoleErrors = [];
      await runIn(bidi, chrome, setPreferences, preferences(environment));
      ({ userContext: user } = await bidi.call<{ userContext: string }>("browser.createUserContext"));
    },
    async open(size) {
      const { context } = await bidi.call<Context>("browsingContext.create", { type: "window", userContext: user });
      return createTab(bidi, chrome, context, size);
    },
    reports: true,
    consoleErrors: () => consoleErrors,
    async stop() {
      // The browser may close the connection before its answer arrives.
      await bidi.call("browser.close").catch(() => undefined);
      bidi.close();
      await child.stop();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

async function createTab(bidi: Bidi, chrome: string, context: string, viewport: Size): Promise<Tab> {
  const act = (source: { type: string; actions: object[] }): Promise<unknown> =>
    bidi.call("input.performActions", { context, actions: [{ id: source.type, ...source }] });
  const keys = (actions: object[]): Promise<unknown> => act({ type: "key", actions });
  await bidi.call("browsingContext.setViewport", { context, viewport });
  return {
    goto: async (url) => void (await bidi.call("browsingContext.navigate", { context, url, wait: "complete" })),
    reload: async () => void (await bidi.call("browsingContext.reload", { context, wait: "complete" })),
    back: async () => void (await bidi.call("browsingContext.traverseHistory", { context, delta: -1 })),
    run: (code, ...given) => runIn(bidi, context, code, ...given),
    press: async (...names) => void (await keys(chord(names))),
    type: async (text) => void (await keys(strokes(text))),
    click: async (x, y) => void (await act({ type: "pointer", actions: clicks(x, y) })),
    wheel: async (x, y, deltaY) =>
      void (await act({ type: "wheel", actions: [{ type: "scroll", x, y, deltaX: 0, deltaY }] })),
    async pick(path) {
      const field = `() => document.querySelector("porch-light").shadowRoot.querySelector("input[type=file]")`;
      const { result } = await call(bidi, context, field, []);
      await bidi.call("input.setFiles", { context, element: { sharedId: result.sharedId }, files: [path] });
    },
    async compose() {
      await runIn(bidi, chrome, beginComposition, "かな");
      return "かな";
    },
    commit: () => runIn(bidi, chrome, commitComposition),
    close: async () => void (await bidi.call("browsingContext.close", { context })),
  };
}

async function call(bidi: Bidi, context: string, functionDeclaration: string, given: string[]): Promise<Evaluated> {
  const answer = await bidi.call<Evaluated>("script.callFunction", {
    functionDeclaration,
    arguments: given.map((value) => ({ type: "string", value })),
    awaitPromise: true,
    target: { context },
  });
  if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text);
  return answer;
}

/** Runs a function in a page or in the browser's own window. Arguments and result are JSON. */
async function runIn<Given extends unknown[], Answer>(
  bidi: Bidi,
  context: string,
  act: (...given: Given) => Answer | Promise<Answer>,
  ...given: Given
): Promise<Answer> {
  const code = `async (given) => JSON.stringify(await (${act})(...JSON.parse(given)))`;
  const { result } = await call(bidi, context, code, [JSON.stringify(given)]);
  return (result.value === undefined ? undefined : JSON.parse(result.value)) as Answer;
}

/** The APIs of the browser's own window that this file uses. */
type Chrome = {
  Services: { prefs: { setIntPref(name: string, value: number): void } };
  Cc: Record<string, { createInstance(of: unknown): Processor }>;
  Ci: { nsITextInputProcessor: unknown };
  composition: Processor | undefined;
};
/**
 * Firefox's interface for input methods:
 * https://searchfox.org/mozilla-central/source/dom/interfaces/base/nsITextInputProcessor.idl
 */
type Processor = {
  beginInputTransactionForTests(window: unknown): boolean;
  setPendingCompositionString(text: string): void;
  appendClauseToPendingComposition(length: number, attribute: number): void;
  setCaretInPendingComposition(at: number): void;
  flushPendingComposition(event: KeyboardEvent): boolean;
  commitComposition(event: KeyboardEvent): void;
  ATTR_RAW_CLAUSE: number;
};

function setPreferences(values: Record<string, number>): void {
  const { prefs } = (globalThis as unknown as Chrome).Services;
  for (const [name, value] of Object.entries(values)) prefs.setIntPref(name, value);
}

function beginComposition(text: string): void {
  const chrome = globalThis as unknown as Chrome;
  const processor = chrome.Cc["@mozilla.org/text-input-processor;1"]?.createInstance(chrome.Ci.nsITextInputProcessor);
  if (!processor?.beginInputTransactionForTests(window)) throw new Error("no input method");
  processor.setPendingCompositionString(text);
  processor.appendClauseToPendingComposition(text.length, processor.ATTR_RAW_CLAUSE);
  processor.setCaretInPendingComposition(text.length);
  processor.flushPendingComposition(new KeyboardEvent("", { key: "a", keyCode: 65 }));
  chrome.composition = processor;
}

function commitComposition(): void {
  (globalThis as unknown as Chrome).composition?.commitComposition(
    new KeyboardEvent("", { key: "Enter", keyCode: 13 }),
  );
}
