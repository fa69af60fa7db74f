/**
 * Draws attention to a reply on a hidden page: a number before the title, and one soft sound in one tab, if the visitor has
 * switched sound on. Fetched when the first reply comes to a hidden page.
 */

import type { Item } from "../../conversation/chat.ts";
import { pageDocument } from "../../loader/document.ts";
import type { Needs } from "../base/context.ts";
import { isRemembered } from "../base/remembered.ts";
import { runInOneTab } from "./one-tab.ts";

type AttentionNeeds = Needs<"t" | "language" | "settings" | "chat" | "consent" | "sound">;

/**
 * Follows the replies of the conversation from now on.
 * @param first the message that arrived before this code
 * @returns a function that stops it
 */
export function startAttention(ui: AttentionNeeds, first: Item): () => void {
  const { chat, sound } = ui;
  if (isRemembered(ui, "mute")) sound.value = false;
  /** The page's own title. */
  let pageTitle = "";
  const setTitle = (title: string): unknown => Reflect.set(Document.prototype, "title", title, document);
  /** The title with the number, as the browser returns it; empty while the page's own is shown. */
  let shown = "";
  const restore = (): void => {
    titleObserver.disconnect();
    const { title } = pageDocument;
    // The page may have changed the title meanwhile. Keep the page's title if it no longer contains ours.
    if (shown && title.includes(shown)) setTitle(title.replace(shown, () => pageTitle));
    shown = "";
  };
  const showCount = (): void => {
    const count = chat.unread.peek();
    restore();
    if (!pageDocument.hidden || count === 0) return;
    pageTitle = pageDocument.title;
    setTitle(`(${count}) ${pageTitle}`);
    // Trimmed, as the browser returns it.
    shown = pageDocument.title;
    titleObserver.observe(pageDocument.head, { childList: true, subtree: true, characterData: true });
  };
  /** Adds the number to a new title of the page, too. Delayed, so that a page that resets its title causes no endless loop. */
  const titleObserver = new MutationObserver(() => {
    setTimeout(() => shown && !pageDocument.title.includes(shown) && showCount());
  });
  /** Plays the sound only if the visitor has written something: a page must not make sounds uninvited. */
  const playSound = ({ id }: Item): void => {
    const wrote = chat.items.peek().some((item) => item.from === "visitor");
    // A tab without a user gesture may not play sound (WIDGET 3.6) and must not take the lock from one that may. Not all
    // browsers report this.
    const mayPlay = navigator.userActivation?.hasBeenActive ?? true;
    if (wrote && mayPlay && pageDocument.hidden && sound.peek()) runInOneTab(`porchlight-${id}`, chime);
  };
  const onReply = (item: Item): void => {
    playSound(item);
    if (pageDocument.hidden && isRemembered(ui, "notify"))
      void import("./notify.ts").then(
        ({ notify }) => runInOneTab(`porchlight-note-${item.id}`, () => void notify(ui, item)),
        () => {}, // The number before the title is shown anyway.
      );
  };
  onReply(first);
  const stops = [chat.unread.subscribe(showCount), chat.on("message", onReply), restore];
  pageDocument.addEventListener("visibilitychange", showCount);
  return () => {
    pageDocument.removeEventListener("visibilitychange", showCount);
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
