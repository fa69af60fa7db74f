/** The widget on a page: commands in, events out, and the panel's code fetched when somebody wants to chat. */

import { installApi } from "./api.ts";
import { layered, type Options, type RawSettings } from "./options.ts";
import { declare, fill } from "./theme.ts";
import type { Baked, Panel, PanelCall, PanelModule, Shell, TeaserModule } from "./ui/contract.ts";
import { element } from "./ui/dom.ts";
import { createHost } from "./ui/host.ts";
import { isNew, LOOK_MS, mayRecall } from "./ui/recall.ts";
import { createShell, dressLauncher, PHONE, pageLink, placeCss } from "./ui/shell.ts";

/** Milliseconds after the launcher until the teaser. */
const TEASER_MS = 8_000;

/** Replaced by the build with the path of the teaser's file. */
const TEASER = "/__TEASER__";

/**
 * Puts the page's function in place at once, and the launcher when the page is idle or, with `manual`, first asked.
 * @param baked with the relay's origin filled in
 * @param script the tag, with its settings
 * @param fetchFile fetches code by its path at the relay; asked again after it failed
 * @param whenIdle runs its argument when the page has time
 */
export function startWidget(
  { relay, panel: path, site, words }: Baked,
  script: HTMLScriptElement | null,
  fetchFile: (path: string) => Promise<never>,
  whenIdle: (run: () => void) => void,
): void {
  const phone = matchMedia(PHONE);
  const night = matchMedia("(prefers-color-scheme:dark)");
  const updates: Options = {};
  const settings = (): RawSettings => layered(phone.matches, site, script?.dataset, window.PorchlightSettings, updates);
  const { manual, mode, teaser, locale } = settings();
  const fills = mode === "page";
  /** Primary language of the site's setting, else of the page; empty: the browser's first. */
  const language = (locale + document.documentElement.lang).replace("auto", "").slice(0, 2);
  // A browser may remember a failed import by its address, so the second try has another.
  const load = (): Promise<PanelModule> => fetchFile(path).catch(() => fetchFile(`${path}?r`));
  const waiting: PanelCall[] = [];
  let mounted: boolean | undefined;
  let panel: Panel | undefined;
  let starting: Promise<Panel> | undefined;

  const room = createHost();
  const parts = createShell(room);
  const { host, launcher, dialog } = parts;

  const style = (): void => {
    const now = settings();
    const dark = now.theme === "dark" || (now.theme !== "light" && night.matches);
    room.restyle(
      `${placeCss(now)}:host{${declare(shell.tokens(now.accent as string, dark))}direction:${shell.spoken.dir}!important;` +
        `color-scheme:${dark ? "dark" : "light"}!important}`,
    );
    dressLauncher(parts, now, shell.spoken.word, shell.unread);
  };
  const mount = (): void => {
    if (mounted) return;
    mounted = true;
    style();
    room.mount();
    emit("ready");
    if (fills) return void open(false);
    setTimeout(
      () => starting ?? (host.isConnected && mayRecall(site.id) && start().catch(failed)),
      isNew(script?.src) ? LOOK_MS : 0,
    );
    if (teaser && !phone.matches) {
      setTimeout(async () => {
        if (host.isConnected) ((await fetchFile(TEASER)) as TeaserModule).tease(element, parts, teaser);
      }, TEASER_MS);
    }
  };
  const start = (): Promise<Panel> => {
    starting ??= load().then(async (code) => {
      panel = await code.start(shell);
      for (const [command, argument] of waiting) panel[command](argument);
      return panel;
    });
    return starting;
  };
  const failed = (): void => {
    starting = undefined;
    emit("error", { code: "load_failed" });
    dialog.append(" ", pageLink(relay, site.id));
  };
  const open = (byHand: boolean): unknown => {
    mount();
    if (panel) return panel.open(byHand);
    if (dialog.open) return;
    dialog.textContent = site.title;
    shell.show();
    return start().then((started) => dialog.open && started.open(byHand), failed);
  };
  const close = (): unknown => (panel ?? dialog).close();
  /** Commands wait for the panel. Only a message, or a conversation that there is already, is worth fetching it for. */
  const later = (name: PanelCall[0]) => (argument?: unknown) => {
    if (panel) return panel[name](argument);
    waiting.push([name, argument]);
    return (name === "send" || mayRecall(site.id)) && start();
  };

  const { emit, remove } = installApi(site.id, {
    open: () => open(false),
    close,
    toggle: () => (dialog.open ? close() : open(false)),
    show() {
      mount();
      host.hidden = false;
    },
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
      mounted = true;
      panel?.destroy();
      phone.onchange = night.onchange = null;
      room.remove();
      remove();
    },
  });

  const shell: Shell = {
    ...parts,
    relay,
    site,
    settings,
    style,
    tokens: fill,
    spoken: words?.[language] ?? { dir: "ltr", word: "Chat" },
    unread: "",
    show() {
      dialog.classList.toggle("full", phone.matches || fills);
      launcher.ariaExpanded = "true";
      // `show()` would move the focus, which belongs to the visitor; the attribute does not.
      if (phone.matches && !fills) dialog.showModal();
      else dialog.open = true;
      emit("open");
    },
    emit,
  };
  launcher.onclick = () => (dialog.open ? close() : open(true));
  launcher.onpointerenter = launcher.onfocus = () => load().catch(() => {});
  phone.onchange = night.onchange = style;
  dialog.onclose = () => {
    if (dialog.open) return;
    launcher.ariaExpanded = "false";
    emit("close");
  };
  if (!manual && manual !== "") whenIdle(mount);
}
