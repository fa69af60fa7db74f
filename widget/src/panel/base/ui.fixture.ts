/** The panel's context in a simulated page: a fake chat whose state the test sets, and the other members. */

import type { Rating } from "@porchlight/shared/protocol";
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { type Signal, signal } from "@preact/signals-core";
import { type ComponentType, h, render } from "preact";
import { vi } from "vitest";
import type { Chat, ChatEvents, Item, LinkEnding, LinkState, Notice, Refused } from "../../conversation/chat.ts";
import { browserPage } from "../../conversation/page.ts";
import { openStorage } from "../../conversation/storage.ts";
import type { Shell } from "../../loader/contract.ts";
import { element } from "../../loader/dom.ts";
import { checkedSettings, type Options, type PanelSettings } from "../../settings/options.ts";
import { loadLanguage } from "../../text/i18n.ts";
import { type Announcer, createAnnouncer } from "./announcer.ts";
import { Root } from "./component.ts";
import type { PanelContext } from "./context.ts";
import type { Files } from "./files.ts";

type Writable<Part> = {
  [Name in keyof Part]: Part[Name] extends { readonly value: infer Value } ? Signal<Value> : Part[Name];
};
export type FakeChat = Writable<Chat> & {
  /** The panel's calls of the chat: `["send", "Hello"]`. */
  calls: unknown[][];
  emit<Name extends keyof ChatEvents>(name: Name, detail: ChatEvents[Name]): void;
};

function fakeChat(): FakeChat {
  const calls: unknown[][] = [];
  const record =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push([name, ...args]);
  const listeners: [name: string, run: (detail: never) => void][] = [];
  return {
    calls,
    items: signal<readonly Item[]>([]),
    link: signal<LinkState>("online"),
    ending: signal<LinkEnding | undefined>(undefined),
    delivery: signal("ok"),
    working: signal<{ since: number } | undefined>(undefined),
    unread: signal(0),
    firstUnread: signal<string | undefined>(undefined),
    older: signal(false),
    notice: signal<Notice | undefined>(undefined),
    refused: signal<Refused | undefined>(undefined),
    ready: signal(true),
    draft: signal(""),
    storage: openStorage("shop", browserPage),
    name: signal<string | undefined>(undefined),
    start: record("start"),
    stop: record("stop"),
    send(...args) {
      calls.push(["send", ...args]);
      return "id";
    },
    retry: record("retry"),
    remove: record("remove"),
    markRead: record("markRead"),
    loadOlder: record("loadOlder"),
    react: record("react"),
    typing: record("typing"),
    token: () => "token",
    rating: signal<Rating | undefined>(undefined),
    email: signal<boolean | undefined>(undefined),
    submit(form, id) {
      calls.push(["submit", form, id]);
      return Promise.resolve(undefined);
    },
    forget: () => Promise.resolve(record("forget")()),
    logout: record("logout"),
    identify: record("identify"),
    destroy: record("destroy"),
    on(name, run) {
      listeners.push([name, run]);
      return () => {};
    },
    emit(name, detail) {
      for (const [event, run] of listeners) if (event === name) run(detail as never);
    },
  };
}

export type Fixture = {
  ui: PanelContext;
  chat: FakeChat;
  root: ShadowRoot;
  settings: Signal<PanelSettings>;
  isOpen: Signal<boolean>;
  /** All announcements to screen readers, in order. */
  said: string[];
  emitted: [name: string, detail: unknown][];
  show(view: ComponentType): HTMLElement;
  stop(): void;
};

/** An announcer that appends announcements to a list. Alerts begin with "! ". */
const recordingAnnouncer = (real: Announcer, said: string[]): Announcer => ({
  ...real,
  status: (text) => void said.push(text),
  message: (text) => void said.push(text),
  alert: (text) => void said.push(`! ${text}`),
});

/** A loader's shell with these elements, which appends emitted events to a list. */
const fakeShell = (
  elements: Pick<Shell, "host" | "root" | "dialog" | "launcher">,
  options: Options,
  emitted: [name: string, detail: unknown][],
): Shell =>
  ({
    ...elements,
    relay: "https://relay.example",
    site: { ...DEFAULT_SITE },
    unread: "",
    settings: () => options,
    style() {},
    emit: (name: string, detail: unknown) => void emitted.push([name, detail]),
  }) as unknown as Shell;

/** Creates the context for a component of the panel, in a shadow root. */
export async function createFixture(options: Options = {}): Promise<Fixture> {
  const host = document.body.appendChild(document.createElement("div"));
  const root = host.attachShadow({ mode: "open" });
  const dialog = element("dialog", { id: "panel" });
  const launcher = element("button", { "aria-expanded": "false" });
  root.append(launcher, dialog);
  const chat = fakeChat();
  const settings = signal(checkedSettings(options, { ...DEFAULT_SITE, title: "Shop" }));
  const isOpen = signal(true);
  const language = signal(await loadLanguage("en"));
  const emitted: [name: string, detail: unknown][] = [];
  const said: string[] = [];
  const real = createAnnouncer(root);
  const shell = fakeShell({ host, root, dialog, launcher }, options, emitted);
  const ui: PanelContext = {
    chat,
    shell,
    settings,
    language,
    t: (key, values) => language.value.t(key, values),
    announcer: recordingAnnouncer(real, said),
    isOpen,
    sound: signal(true),
    consent: signal(true),
    files: signal<Files | undefined>(undefined),
    adding: signal(0),
    addFiles() {},
    rating: signal(undefined),
    ended: signal(undefined),
    missing: signal([]),
    part: async (fetch, use) => void use(await fetch()),
    forms: signal(undefined),
    asking: signal(false),
    close() {},
    send(text, attachments = []) {
      chat.calls.push(["send", text, ...attachments]);
      return Math.max(1, attachments.length);
    },
    focusComposer: () => root.querySelector("textarea")?.focus(),
    now: () => Date.now(),
  };
  return {
    ui,
    chat,
    root,
    settings,
    isOpen,
    said,
    emitted,
    show(view) {
      render(h(Root, { ui, children: h(view, {}) }), dialog);
      return dialog;
    },
    stop() {
      render(null, dialog);
      real.stop();
      host.remove();
    },
  };
}

/** Begins simulated time, and creates the context. Its `stop` also ends the simulated time. */
export async function createFixtureWithFakeTimers(): Promise<Fixture> {
  vi.useFakeTimers();
  const made = await createFixture();
  return {
    ...made,
    stop() {
      made.stop();
      vi.useRealTimers();
    },
  };
}

/** Lets simulated time pass, in milliseconds. */
export const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

let count = 0;
/** A message of the visitor. */
export const own = (text: string, more: Partial<Item> = {}): Item => {
  count++;
  return {
    id: `own-${count}`,
    from: "visitor",
    text,
    at: 1_700_000_000_000 + count * 1_000,
    pos: count,
    n: count,
    state: "delivered",
    ...more,
  };
};
/** A reply that the visitor has received. */
export const reply = (text: string, more: Partial<Item> = {}): Item =>
  own(text, { from: "reply", state: "received", ...more });

/** Waits until Preact has rendered the changes. */
export const drawn = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => queueMicrotask(resolve)));
