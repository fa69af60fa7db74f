/** The widget on a page: commands in, events out, and the panel's code fetched when somebody wants to chat. */

import { layered, type Options, type RawSettings } from "../settings/options.ts";
import type { Baked, Panel, PanelCommands, PanelModule, Shell, TeaserModule } from "./contract.ts";
import { pageDocument } from "./document.ts";
import { element } from "./dom.ts";
import { createHost, keepInPage, replaceRules } from "./host.ts";
import { installApi, pageSettings } from "./page-api.ts";
import { createDialog, createLauncher, dressLauncher, PHONE, pageLink, placeCss } from "./shell.ts";
import { mayRecall } from "./stored-conversation.ts";
import { declare, fill } from "./theme.ts";

/** Milliseconds after the launcher until the teaser. */
const TEASER_MS = 8_000;

/** Put in by the build: the path of the teaser's file. */
declare const TEASER: string;

/**
 * Puts the page's function in place at once, and the launcher when the page is idle or, with `manual`, first asked.
 * @param baked with the relay's origin filled in
 * @param script the tag, with its settings
 * @param fetchFile fetches code by its path at the relay; asked again after it failed
 * @param whenIdle runs its argument when the page has time
 */
export function startWidget(
  baked: Baked,
  script: HTMLScriptElement | undefined,
  fetchFile: (path: string) => Promise<never>,
  whenIdle: (run: () => void) => void,
): void {
  const { relay, site } = baked;
  const phone = matchMedia(PHONE);
  const updates: Options = {};
  const settings = (): RawSettings => layered(phone.matches, site, script?.dataset, pageSettings(), updates);
  let panel: Panel | undefined;
  let arrived!: (panel: Panel) => void;
  /** What the page commands before the panel is there waits for this, in order. */
  const coming = new Promise<Panel>((resolve) => {
    arrived = resolve;
  });
  let starting: Promise<void> | undefined;
  /** Whether it was the visitor who opened what is being fetched. */
  let byHand = false;

  const launcher = createLauncher();
  const dialog = createDialog();
  const host = createHost(launcher, dialog);
  const root = host.shadowRoot as ShadowRoot;
  /** Set once the widget is in the page. */
  let takeOut: (() => void) | undefined;

  const style = (): RawSettings => {
    const now = settings();
    // Primary language of the site's setting, else of the page, else the browser's first.
    const language = (now.locale + pageDocument.documentElement.lang + navigator.language)
      .replace("auto", "")
      .slice(0, 2);
    shell.spoken ??= baked.words?.[language] ?? { dir: "ltr", word: "Chat" };
    const { dir, word } = shell.spoken;
    const colours = (dark: boolean): string =>
      `:host{${declare(shell.tokens(now.accent as string, dark))}direction:${dir}!important;color-scheme:${dark ? "dark" : "light"}!important}`;
    replaceRules(
      root,
      placeCss(now) +
        colours(now.theme === "dark") +
        `@media(prefers-color-scheme:dark){${colours(now.theme !== "light")}}`,
    );
    dressLauncher(launcher, now, word, shell.unread);
    return now;
  };
  const mount = (): void => {
    if (takeOut) return;
    const { mode, teaser } = style();
    takeOut = keepInPage(host, launcher);
    emit("ready");
    if (mode === "page") return void open(false);
    // In a task of its own, because reading the storage makes the page wait for another process.
    setTimeout(() => mayRecall(site.id) && start());
    if (teaser && !phone.matches) {
      setTimeout(() => {
        if (host.isConnected)
          fetchFile(TEASER)
            .then(({ tease }: TeaserModule) => tease(element, shell, teaser))
            // A teaser that cannot be fetched is no error for the page.
            .catch(() => {});
      }, TEASER_MS);
    }
  };
  /** Fetches the panel. Resolves when it is loaded or has failed; a failed fetch is repeated when the network returns. */
  const start = (): Promise<void> => {
    // The page may have been open for longer than the relay keeps old files; then it gets the newest panel. A browser may
    // cache a failed import by its URL, so each attempt uses another URL.
    starting ??= fetchFile(baked.panel)
      .catch(() => {
        // Try again when the network returns: at once, or after the current fetch has failed.
        addEventListener("online", () => start().then(start));
        return fetchFile(`/assets/panel.js?${Math.random()}`);
      })
      .then(async (code: PanelModule) => {
        panel = await code.start(shell);
        arrived(panel);
        if (dialog.open) panel.open(byHand);
      })
      .catch(() => {
        starting = undefined;
        emit("error", { code: "load_failed" });
        dialog.replaceChildren(pageLink(relay, site.id, launcher.ariaLabel as string));
      });
    return starting;
  };
  const show = (): void => {
    mount();
    host.hidden = false;
  };
  const open = (hand: boolean): unknown => {
    show();
    if (panel) return panel.open(hand);
    byHand = hand;
    if (!dialog.open) {
      dialog.ariaLabel = dialog.textContent = (settings().title || launcher.ariaLabel) as string;
      shell.show();
    }
    return start();
  };
  const close = (): unknown => (panel ?? dialog).close();
  const toggle = (hand: boolean): unknown => (dialog.open ? close() : open(hand));
  /** Only a message or an existing conversation is a reason to fetch the panel. */
  const later = (name: keyof PanelCommands) => (argument?: unknown) => {
    const worth = name === "send" || mayRecall(site.id);
    const done = coming.then((it) => it[name](argument, worth));
    if (name === "send") mount();
    if (worth) start();
    // Else the panel, if it ever comes, finds nobody.
    else if (name === "logout") emit(name);
    return worth && done;
  };

  const emit = installApi(site.id, {
    open: () => open(false),
    close,
    toggle: () => toggle(false),
    show,
    hide() {
      close();
      host.hidden = true;
    },
    send: later("send"),
    identify: later("identify"),
    logout: later("logout"),
    consent: later("consent"),
    update(options) {
      Object.assign(updates, options);
      style();
      panel?.update();
    },
    destroy() {
      coming.then((it) => it.destroy());
      phone.onchange = null;
      takeOut?.();
      // Later commands must not put anything back.
      takeOut = () => {};
      delete window.Porchlight;
    },
  });

  const shell: Shell = {
    host,
    root,
    launcher,
    dialog,
    relay,
    site,
    settings,
    style,
    tokens: fill,
    unread: "",
    show() {
      dialog.classList.toggle("full", phone.matches || settings().mode === "page");
      // Closed and opened again before the `close` event: treat it as open all the time.
      const isAnnounced = launcher.ariaExpanded === "true";
      launcher.ariaExpanded = "true";
      // `show()` would move the focus, which belongs to the visitor; the attribute does not. What covers a phone becomes
      // modal with the panel's code: until that is there the launcher stands above it, to close it.
      dialog.open = true;
      if (!isAnnounced) emit("open");
    },
    emit,
  };
  launcher.ariaExpanded = "false";
  phone.onchange = style;
  launcher.onclick = () => toggle(true);
  // Pointing at the launcher or focusing it starts the fetch, so the panel is loaded by the click.
  launcher.onpointerenter = launcher.onfocus = start;
  dialog.onclose = () => {
    if (dialog.open) return;
    launcher.ariaExpanded = "false";
    emit("close");
  };
  // Not given, or false; an empty attribute switches on.
  if (/^[fnu0]/.test(settings().manual as never)) whenIdle(mount);
}
