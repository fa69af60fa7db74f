/**
 * A simulated browser: tabs with page events that share one storage and one set of locks. All time is virtual, so minutes pass
 * in microseconds, and runs with the same seed are identical.
 */

import { seededRandom } from "@porchlight/shared/seeded-random";
import type { Page, PageEvent } from "./page.ts";
import type { StoragePort } from "./storage.ts";

type Task = { at: number; order: number; run: () => void };

const earlier = (a: Task | undefined, b: Task): Task => (a && (a.at - b.at || a.order - b.order) <= 0 ? a : b);

export type World = {
  now(): number;
  random(): number;
  after(ms: number, run: () => void): () => void;
  /** Advances time, and runs due timers. */
  advance(ms: number): void;
  /** Simulates sleep of the machine: advances time without running timers. */
  sleep(ms: number): void;
  /** Number of set timers. */
  pending(): number;
};

/** A clock that stands still until the test advances it. @param seed of the random numbers */
export function createWorld(seed = 1): World {
  const random = seededRandom(seed);
  let tasks: Task[] = [];
  let now = 1_700_000_000_000;
  let order = 0;
  return {
    now: () => now,
    random,
    after(ms, run) {
      const task = { at: now + Math.ceil(ms), order: order++, run };
      tasks.push(task);
      return () => {
        tasks = tasks.filter((other) => other !== task);
      };
    },
    advance(ms) {
      const end = now + Math.ceil(ms);
      for (;;) {
        const next = tasks.reduce<Task | undefined>(earlier, undefined);
        if (!next || next.at > end) break;
        tasks = tasks.filter((other) => other !== next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = end;
    },
    sleep(ms) {
      now += Math.ceil(ms);
    },
    pending: () => tasks.length,
  };
}

export type Tab = {
  readonly page: Page;
  readonly storage: StoragePort;
  readonly alive: boolean;
  /** Number of active listeners. */
  listening(): number;
  emit(event: PageEvent, detail?: Event): void;
  show(): void;
  hide(): void;
  plug(): void;
  unplug(): void;
  /** Ends the tab's process without events. */
  kill(): void;
};

export type Browser = { readonly storage: Map<string, string>; blocked: boolean; tab(): Tab };

/** A browser without tabs, with an empty storage. @param delay milliseconds until other tabs get the event of a storage change */
export function createBrowser(world: World, delay = 1): Browser {
  const storage = new Map<string, string>();
  const locks = new Map<string, { holder: object; waiting: { who: object; granted: () => void }[] }>();
  let tabs: Tab[] = [];

  /** Grants a released lock to the next tab that waits for it. */
  function passOn(name: string): void {
    const queue = locks.get(name)?.waiting ?? [];
    const next = queue.shift();
    if (!next) locks.delete(name);
    else {
      locks.set(name, { holder: next.who, waiting: queue });
      world.after(0, () => locks.get(name)?.holder === next.who && next.granted());
    }
  }

  function lock(name: string, granted: () => void): () => void {
    const who = {};
    const held = locks.get(name);
    if (held) held.waiting.push({ who, granted });
    else {
      locks.set(name, { holder: {}, waiting: [{ who, granted }] });
      passOn(name);
    }
    return () => {
      const now = locks.get(name);
      if (now?.holder === who) passOn(name);
      else if (now) now.waiting = now.waiting.filter((other) => other.who !== who);
    };
  }

  const browser: Browser = {
    storage,
    blocked: false,
    tab() {
      const tab = createTab(world, browser, lock, (from, key, newValue) => {
        const event = { key, newValue } as StorageEvent;
        for (const other of tabs)
          if (other !== from) world.after(delay, () => other.alive && other.emit("storage", event));
      });
      tabs = [...tabs.filter(({ alive }) => alive), tab];
      return tab;
    },
  };
  return browser;
}

type NotifyTabs = (from: Tab, key: string, value: string | null) => void;

/** The browser's storage in one tab. It throws while the browser blocks storage. @param notify passes changes to other tabs */
function storageOf(browser: Browser, notify: (key: string, value: string | null) => void): StoragePort {
  const checkAccess = () => {
    if (browser.blocked) throw new DOMException("The operation is insecure.", "SecurityError");
  };
  const write = (key: string, value: string | null) => {
    checkAccess();
    if (value === null) browser.storage.delete(key);
    else browser.storage.set(key, value);
    notify(key, value);
  };
  return () => ({
    getItem(key) {
      checkAccess();
      return browser.storage.get(key) ?? null;
    },
    setItem: write,
    removeItem: (key) => write(key, null),
  });
}

function createTab(world: World, browser: Browser, lock: Page["lock"], notify: NotifyTabs): Tab {
  const listeners = new Map<PageEvent, Set<(event: Event) => void>>();
  const releases = new Set<() => void>();
  let alive = true;
  let visible = true;
  let online = true;
  const page: Page = {
    now: world.now,
    random: world.random,
    after: (ms, run) => world.after(ms, () => alive && run()),
    on(event, run) {
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set.add(run));
      return () => set.delete(run);
    },
    visible: () => visible,
    online: () => online,
    lock(name, granted) {
      const release = lock(name, () => alive && granted());
      releases.add(release);
      return release;
    },
  };
  const tab: Tab = {
    page,
    storage: storageOf(browser, (key, value) => notify(tab, key, value)),
    get alive() {
      return alive;
    },
    listening: () => [...listeners.values()].reduce((sum, { size }) => sum + size, 0),
    emit(event, detail = { type: event } as Event) {
      for (const run of [...(listeners.get(event) ?? [])]) run(detail);
    },
    show() {
      visible = true;
      tab.emit("visibilitychange");
    },
    hide() {
      visible = false;
      tab.emit("visibilitychange");
    },
    plug() {
      online = true;
      tab.emit("online");
    },
    unplug() {
      online = false;
      tab.emit("offline");
    },
    kill() {
      alive = false;
      for (const release of releases) release();
    },
  };
  return tab;
}
