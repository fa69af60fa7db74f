/**
 * Announces texts to screen readers through one queue and one live region, because several live regions at once lose messages.
 * Each text stays for a second (readers miss shorter ones); the next one follows half a second later.
 */

import { element } from "../../loader/dom.ts";

const STEP_MS = 500;
const STAY_MS = 1_000;
/** Longest text said; the rest can be read in the thread. */
const SAY_MAX = 300;
/** If more messages than this wait, one sentence replaces them. */
const BACKLOG_MAX = 3;

export type Announcer = {
  /** Says a status. The same status waiting twice is said once. */
  status(text: string): void;
  /**
   * Says a message. A text that is too long is cut, and ends with `continues`. `many` makes the sentence that replaces the
   * messages when too many wait.
   */
  message(text: string, continues: string, many: (count: number) => string): void;
  /** Says a failure at once. */
  alert(text: string): void;
  stop(): void;
};

type Entry = { text: string; many?: (count: number) => string };

/** Adds the live regions to the root. They stay empty until a text is announced. */
export function createAnnouncer(root: ShadowRoot): Announcer {
  const say = element("div", { id: "say", class: "vh", "aria-live": "polite", "aria-relevant": "additions" });
  const err = element("div", { id: "err", class: "vh", role: "alert" });
  root.append(say, err);
  let queue: Entry[] = [];
  let next: ReturnType<typeof setTimeout> | undefined;

  const put = (where: HTMLElement, text: string): void => {
    const line = element("div", {}, text);
    where.append(line);
    setTimeout(() => line.remove(), STAY_MS);
  };
  const step = (): void => {
    next = undefined;
    const messages = queue.filter((entry) => entry.many);
    const { many } = messages[0] ?? {};
    if (many && messages.length > BACKLOG_MAX) {
      queue = [{ text: many(messages.length) }, ...queue.filter((entry) => !entry.many)];
    }
    const entry = queue.shift();
    if (!entry) return;
    put(say, entry.text);
    next = setTimeout(step, STEP_MS);
  };
  const add = (entry: Entry): void => {
    if (!queue.some(({ text }) => text === entry.text)) queue.push(entry);
    // Wait a moment, so that a burst becomes one announcement.
    next ??= setTimeout(step, 50);
  };
  return {
    status: (text) => add({ text }),
    message: (text, continues, many) =>
      add({ text: text.length > SAY_MAX ? `${text.slice(0, SAY_MAX)}… ${continues}` : text, many }),
    alert: (text) => put(err, text),
    stop() {
      clearTimeout(next);
      say.remove();
      err.remove();
    },
  };
}
