/**
 * Draws attention to a reply on a hidden page: a number before the title, and one soft sound in one tab, if the visitor has
 * switched sound on. Fetched when the first reply comes to a hidden page.
 */

import type { Item } from "../../conversation/chat.ts";
import { pageDocument } from "../../loader/document.ts";
import type { Needs } from "../base/context.ts";
import { isRemembered } from "../base/remembered.ts";
import { once } from "./one-tab.ts";

type AttentionNeeds = Needs<"t" | "language" | "settings" | "chat" | "consent" | "sound">;

/**
 * @param first the message that arrived before this code
 * @returns a function that stops it
 */
export function startAttention(ui: AttentionNeeds, first: Item): () => void {
  const { chat, sound } = ui;
  if (isRemembered(ui, "mute")) sound.value = false;
  /** The page's own title, and the title that we set. */
  let own = "";
  const setTitle = (title: string): unknown => Reflect.set(Document.prototype, "title", title, document);
  let shown = "";
  const restore = (): void => {
    watching.disconnect();
    const { title } = pageDocument;
    // The page may have changed the title meanwhile. Keep the page's title if it no longer contains ours.
    if (shown && title.includes(shown)) setTitle(title.replace(shown, () => own));
    shown = "";
  };
  const mark = (): void => {
    const count = chat.unread.peek();
    restore();
    if (!pageDocument.hidden || count === 0) return;
    own = pageDocument.title;
    setTitle(`(${count}) ${own}`);
    // Trimmed, as the browser returns it.
    shown = pageDocument.title;
    watching.observe(pageDocument.head, { childList: true, subtree: true, characterData: true });
  };
  /** Adds the number to a new title of the page, too. Delayed, so that a page that resets its title causes no endless loop. */
  const watching = new MutationObserver(() => {
    setTimeout(() => shown && !pageDocument.title.includes(shown) && mark());
  });
  /** Only after the visitor has written something: a page must not make sounds uninvited. */
  const ring = ({ id }: Item): void => {
    const wrote = chat.items.peek().some((item) => item.from === "visitor");
    // A tab without a user gesture may not play sound (WIDGET 3.6) and must not take the turn of one that may. Not all browsers
    // tell.
    const may = navigator.userActivation?.hasBeenActive ?? true;
    if (wrote && may && pageDocument.hidden && sound.peek()) once(`porchlight-${id}`, chime);
  };
  const tell = (item: Item): void => {
    ring(item);
    if (pageDocument.hidden && isRemembered(ui, "notify"))
      void import("./notify.ts").then(
        ({ notify }) => once(`porchlight-note-${item.id}`, () => void notify(ui, item)),
        () => {}, // The number before the title is shown anyway.
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

/** Plays two soft notes with WebAudio, which needs no file and so no entry in the page's content policy. */
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
    // The browser cannot play sound.
  }
}
