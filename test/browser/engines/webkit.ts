/**
 * Debian's WebKit, Safari's engine: MiniBrowser on a virtual screen, controlled over WebDriver classic
 * (https://www.w3.org/TR/webdriver2/).
 */

import { freePort } from "../../ports.ts";
import { screenPath, webkitDriverPath } from "../../setup/programs.ts";
import { startChild } from "./child.ts";
import {
  chord,
  clicks,
  type Engine,
  type Environment,
  KEYS,
  type KeyAction,
  type Size,
  strokes,
  type Tab,
} from "./engine.ts";

/** The key under which WebDriver returns an element's id (WebDriver 12.1). */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/**
 * MiniBrowser's arguments. Tests open windows from a page, because only those have no toolbars and can be as narrow as a phone.
 */
const browserArguments = ({ dark, blocksStorage }: Environment): string[] => [
  "--automation",
  "--javascript-can-open-windows-automatically=true",
  ...(dark ? ["--dark-mode"] : []),
  ...(blocksStorage ? ["--enable-html5-local-storage=false"] : []),
];

type Call = <Answer>(method: "GET" | "POST" | "DELETE", path: string, body?: object) => Promise<Answer>;

/** Starts a virtual screen and the driver. The browser itself starts at `begin`. */
export async function startWebKit(): Promise<Engine> {
  const screen = startChild(screenPath(), ["-displayfd", "3", "-screen", "0", "1600x1000x24", "-nolisten", "tcp"]);
  const [display] = await screen.waitForOutput(/^\d+(?=\n)/m);
  // The driver needs a port; it does not choose one itself.
  const port = await freePort();
  const driver = startChild(webkitDriverPath(), [`--port=${port}`], {
    DISPLAY: `:${display}`,
    // GTK's own input method: Ctrl+Shift+U, then the code point of a character.
    GTK_IM_MODULE: "gtk-im-context-simple",
    NO_AT_BRIDGE: "1",
    // Without a graphics card, software rendering takes half a second per frame.
    WEBKIT_DISABLE_DMABUF_RENDERER: "1",
    // Most containers do not allow root to nest namespaces. The tests load only their own pages, so no sandbox is needed.
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
  });
  const call: Call = async (method, path, body) => {
    const init = { method, ...(method === "POST" && { body: JSON.stringify(body ?? {}) }) };
    const { value } = (await (await fetch(`http://127.0.0.1:${port}${path}`, init)).json()) as { value: never };
    const { error, message } = (value ?? {}) as { error?: string; message?: string };
    if (error) throw new Error(`${method} ${path}: ${error}: ${message}`);
    return value;
  };
  await untilAnswered(() => call("GET", "/status"));
  return createEngine(call, async () => {
    await driver.stop();
    await screen.stop();
  });
}

/** The driver's session, and the origins that its tabs have visited. */
type WebKitState = {
  call: Call;
  session: { path: string; args: string; first: string } | undefined;
  origins: Set<string>;
};

/** Ends the session, if there is one. */
async function endSession(engine: WebKitState): Promise<void> {
  if (engine.session) await engine.call("DELETE", engine.session.path);
  engine.session = undefined;
  engine.origins.clear();
}

/** Starts a session. @param args the browser's arguments */
async function startSession(engine: WebKitState, args: string[]): Promise<void> {
  const options = { "webkitgtk:browserOptions": { args } };
  const { sessionId } = await engine.call<{ sessionId: string }>("POST", "/session", {
    capabilities: { alwaysMatch: options },
  });
  const path = `/session/${sessionId}`;
  engine.session = { path, args: args.join(), first: await engine.call("GET", `${path}/window`) };
}

const handles = ({ call, session }: WebKitState): Promise<string[]> => call("GET", `${session?.path}/window/handles`);

/** Closes all windows but the first, and clears the storage of every visited origin. */
async function clearSession(engine: WebKitState, { path, first }: { path: string; first: string }): Promise<void> {
  const { call } = engine;
  for (const handle of await handles(engine))
    if (handle !== first) {
      await call("POST", `${path}/window`, { handle });
      await call("DELETE", `${path}/window`);
    }
  await call("POST", `${path}/window`, { handle: first });
  for (const origin of engine.origins) {
    await call("POST", `${path}/url`, { url: `${origin}/nothing` });
    await call("POST", `${path}/execute/sync`, { script: "localStorage.clear(); sessionStorage.clear()", args: [] });
    await call("DELETE", `${path}/cookie`);
  }
  await call("POST", `${path}/url`, { url: "about:blank" });
}

function createEngine(call: Call, end: () => Promise<void>): Engine {
  const engine: WebKitState = { call, session: undefined, origins: new Set() };
  return {
    name: "WebKit",
    async begin(environment) {
      const args = browserArguments(environment);
      if (engine.session?.args === args.join()) return clearSession(engine, engine.session);
      await endSession(engine);
      return startSession(engine, args);
    },
    async open({ width, height }: Size) {
      const { path, first } = engine.session ?? { path: "", first: "" };
      const before = await handles(engine);
      await call("POST", `${path}/window`, { handle: first });
      const script = `open("about:blank", "", "toolbar=no,location=no,menubar=no,width=${width},height=${height}")`;
      await call("POST", `${path}/execute/sync`, { script, args: [] });
      const handle = (await handles(engine)).find((one) => !before.includes(one)) ?? "";
      return createTab(call, path, handle, (url) => engine.origins.add(new URL(url).origin));
    },
    // Automated windows are private, and WebKit does not print the console of private windows.
    reports: false,
    consoleErrors: () => [],
    async stop() {
      await endSession(engine);
      await end();
    },
  };
}

/** A tab. The driver controls one window at a time, so every command selects the tab's window first. */
function createTab(call: Call, path: string, handle: string, onVisit: (url: string) => void): Tab {
  const ask = async <Answer>(method: "GET" | "POST" | "DELETE", what: string, body?: object): Promise<Answer> => {
    await call("POST", `${path}/window`, { handle });
    return call(method, `${path}${what}`, body);
  };
  const act = (source: { type: string; actions: object[] }): Promise<void> =>
    ask("POST", "/actions", { actions: [{ id: source.type, ...source }] });
  const keys = (actions: KeyAction[]): Promise<void> => act({ type: "key", actions });
  return {
    goto(url) {
      onVisit(url);
      return ask("POST", "/url", { url });
    },
    reload: () => ask("POST", "/refresh"),
    back: () => ask("POST", "/back"),
    run: (code, ...args) => ask("POST", "/execute/sync", { script: `return (${code}).apply(null, arguments)`, args }),
    press: (...names) => keys(chord(names)),
    type: (text) => keys(strokes(text)),
    click: (x, y) => act({ type: "pointer", actions: clicks(x, y) }),
    wheel: (x, y, deltaY) => act({ type: "wheel", actions: [{ type: "scroll", x, y, deltaX: 0, deltaY }] }),
    async pick(file) {
      const script = `return document.querySelector("porch-light").shadowRoot.querySelector("input[type=file]")`;
      const field = await ask<{ [ELEMENT]: string }>("POST", "/execute/sync", { script, args: [] });
      await ask("POST", `/element/${field[ELEMENT]}/value`, { text: file });
    },
    async compose() {
      const [hold, release] = [chord(["Control", "Shift"]).slice(0, 2), chord(["Control", "Shift"]).slice(2)];
      await keys([...hold, ...strokes("u"), ...release, ...strokes("304b")]);
      return "か";
    },
    commit: () =>
      keys([
        { type: "keyDown", value: KEYS.Enter },
        { type: "keyUp", value: KEYS.Enter },
      ]),
    close: () => ask("DELETE", "/window"),
  };
}

/** Time limit for the driver to start, in milliseconds. */
const START_MS = 120_000;

/** Repeats a request until it succeeds, because the driver does not report when it is ready. */
async function untilAnswered(ask: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  for (;;)
    try {
      return void (await ask());
    } catch (error) {
      if (performance.now() - began > START_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
}
