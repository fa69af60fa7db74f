/**
 * Calls the visitor back to a page that he has left for another tab: a number before the title, and one soft sound, in
 * one tab, only if he wanted sound. Fetched when the first reply comes to a hidden page.
 */

import type { Item } from "../../conversation/chat.ts";
import { pageDocument } from "../../loader/document.ts";
import type { Ui } from "../base/context.ts";
import { isKept } from "../base/remembered.ts";
import { once } from "./one-tab.ts";

/**
 * Returns its stop.
 * @param first the message that came before this code
 */
export function startAttention(ui: Ui, first: Item): () => void {
  const { chat, sound } = ui;
  if (isKept(ui, "mute")) sound.value = false;
  /** The page's own title, and what it became by us. */
  let own = "";
  const setTitle = (title: string): unknown => Reflect.set(Document.prototype, "title", title, document);
  let shown = "";
  const restore = (): void => {
    watching.disconnect();
    const { title } = pageDocument;
    // The page may have made another one of it meanwhile; if ours is not in there any more, that stands.
    if (shown && title.includes(shown)) setTitle(title.replace(shown, () => own));
    shown = "";
  };
  const mark = (): void => {
    const count = chat.unread.peek();
    restore();
    if (!pageDocument.hidden || count === 0) return;
    own = pageDocument.title;
    setTitle(`(${count}) ${own}`);
    // As the browser says it: without spaces at its ends.
    shown = pageDocument.title;
    watching.observe(pageDocument.head, { childList: true, subtree: true, characterData: true });
  };
  /** Before the page's new title as well. Not at once: with a page that insists on its own this would never end. */
  const watching = new MutationObserver(() => {
    setTimeout(() => shown && !pageDocument.title.includes(shown) && mark());
  });
  /** Not before the visitor has written something himself: a page that sounds by itself is a nuisance. */
  const ring = ({ id }: Item): void => {
    const wrote = chat.items.peek().some((item) => item.from === "visitor");
    // A tab that was never touched may make no sound (WIDGET 3.6): it would take the one that can its turn. Not all know.
    const may = navigator.userActivation?.hasBeenActive ?? true;
    if (wrote && may && pageDocument.hidden && sound.peek()) once(`porchlight-${id}`, chime);
  };
  const tell = (item: Item): void => {
    ring(item);
    if (pageDocument.hidden && isKept(ui, "notify"))
      void import("./notify.ts").then(
        ({ notify }) => once(`porchlight-note-${item.id}`, () => notify(ui, item)),
        () => {}, // The number before the title stands all the same.
      );
  };
  tell(first);
  const stops = [chat.unread.subscribe(mark), chat.on("message", tell), restore];
  pageDocument.addEventListener("visibilitychange", mark);
  return () => {
    pageDocument.removeEventListener("visibilitychange", mark);
    for (const stop of stops) stop();
  };
}

/** Two soft notes. WebAudio, because it needs no file and so no rule in the page's policy. */
function chime(): void {
  try {
    const context = new AudioContext();
    const gain = context.createGain();
    gain.connect(context.destination);
    gain.gain.setValueAtTime(0.08, context.currentTime);
    gain.gain.exponentialRampToValueAtTime(0.0001, context.currentTime + 0.6);
    for (const [hertz, at] of [
      [659, 0],
      [880, 0.12],
    ] as const) {
      const note = context.createOscillator();
      note.frequency.value = hertz;
      note.connect(gain);
      note.start(context.currentTime + at);
      note.stop(context.currentTime + 0.6);
    }
    setTimeout(() => void context.close(), 1_000);
  } catch {
    // No sound here.
  }
}
