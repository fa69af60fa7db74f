/** The widget on a page: commands in, events out, and the panel's code fetched when somebody wants to chat. */

import type { PublicSite } from "@porchlight/shared/site";
import { installApi } from "./api.ts";
import { layered, type Options, type RawSettings } from "./options.ts";
import { declare, fill } from "./theme.ts";
import type { Panel, PanelCall, PanelModule, Shell, TeaserModule } from "./ui/contract.ts";
import { element } from "./ui/dom.ts";
import { createHost } from "./ui/host.ts";
import { mayRecall } from "./ui/recall.ts";
import { createShell, dressLauncher, PHONE, placeCss } from "./ui/shell.ts";

export type WidgetOptions = {
  /** Origin of the relay. */
  relay: string;
  site: PublicSite;
  /** Settings of the tag. */
  tag: object | undefined;
  /** Fetches the panel's code; asked again after it failed. */
  load(): Promise<PanelModule>;
  /** Fetches the teaser's code. */
  loadTeaser(): Promise<TeaserModule>;
  /** Runs its argument when the page has time. */
  whenIdle(run: () => void): void;
};

/** Milliseconds after the launcher until the teaser. */
const TEASER_MS = 8_000;

/** Puts the page's function in place at once, and the launcher when the page is idle or, with `manual`, first asked. */
export function startWidget({ relay, site, tag, load, loadTeaser, whenIdle }: WidgetOptions): void {
  const phone = matchMedia(PHONE);
  const night = matchMedia("(prefers-color-scheme:dark)");
  const updates: Options = {};
  const settings = (): RawSettings => layered(phone.matches, site, tag, window.PorchlightSettings, updates);
  const { manual, mode, teaser } = settings();
  const waiting: PanelCall[] = [];
  let mounted: boolean | undefined;
  let panel: Panel | undefined;
  let starting: Promise<Panel> | undefined;

  const host = createHost();
  const parts = createShell(host);
  const { launcher, dialog } = parts;

  const style = (): void => {
    const now = settings();
    const dark = now.theme === "dark" || (now.theme !== "light" && night.matches);
    host.restyle(
      `${placeCss(now)}:host{${declare(shell.tokens(now.accent ?? "", dark))}direction:${shell.spoken.dir}!important;` +
        `color-scheme:${dark ? "dark" : "light"}!important}`,
    );
    dressLauncher(parts, now, shell.spoken.word, shell.unread);
  };
  const showTeaser = async (): Promise<void> => {
    const { tease } = await loadTeaser();
    if (!panel && !dialog.open) tease(element, parts, `${teaser}`);
  };
  const mount = (): void => {
    if (mounted) return;
    mounted = true;
    style();
    host.mount();
    emit("ready");
    if (mode === "page") open(false);
    else if (mayRecall(site.id)) start().catch(failed);
    else if (teaser && !phone.matches) setTimeout(showTeaser, TEASER_MS);
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
    const href = `${relay}/c/${site.id}`;
    dialog.append(element("a", { href, target: "_blank" }, ` ${href}`));
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
    return name === "send" || mayRecall(site.id) ? start() : undefined;
  };

  const { emit, remove } = installApi(site.id, {
    open: () => open(false),
    close,
    toggle: () => (dialog.open ? close() : open(false)),
    show() {
      mount();
      host.element.hidden = false;
    },
    hide() {
      close();
      host.element.hidden = true;
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
      host.remove();
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
    spoken: { dir: "ltr", word: "Chat" },
    unread: "",
    show() {
      dialog.classList.toggle("full", phone.matches || mode === "page");
      launcher.ariaExpanded = "true";
      // `show()` would move the focus, which belongs to the visitor; the attribute does not.
      if (phone.matches && mode !== "page") dialog.showModal();
      else dialog.open = true;
      emit("open");
    },
    emit,
  };
  launcher.onclick = () => (dialog.open ? close() : open(true));
  launcher.onpointerenter = launcher.onfocus = () => void load().catch(() => {});
  phone.onchange = night.onchange = style;
  dialog.onclose = () => {
    if (dialog.open) return;
    launcher.ariaExpanded = "false";
    emit("close");
  };
  if (!manual && manual !== "") whenIdle(mount);
}
