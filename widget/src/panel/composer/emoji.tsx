/** A page of emoji for those whose keyboard has none. Fetched when first opened. */

import { live, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { adopt } from "../base/style.ts";
import css from "./emoji.css?inline";

/** The ones that people use in chats with shops: faces, hands, hearts, things. */
const EMOJI = [
  "😀 😃 😄 😁 😆 😅 😂 🤣 🙂 🙃 😉 😊 😇 🥰 😍 🤩 😘 😋 😜 🤪 🤔 🤨 😐 😏 😌 😴 🤒 🤕 🥳 😎 🤓 😕 🙁 😮 😳 🥺 😢 😭 😤 😡 🤯 😱",
  "👍 👎 👌 🤞 ✌️ 🤙 👋 🙏 👏 🙌 💪 👀 🤝 ☝️ 👇 👈 👉 🤷 🤦 🙋",
  "❤️ 🧡 💛 💚 💙 💜 🖤 🤍 💔 💯 ✨ ⭐ 🌟 🔥 🎉 🎁 🎂 🏆 ✅ ❌ ❗ ❓ ⚠️ 💡",
  "📦 🚚 🛒 🛍️ 💳 💰 🧾 📧 📞 📱 💻 🖨️ 📷 🔑 🔧 🔋 📍 🏠 ⏰ 📅 ☀️ 🌧️ ❄️ 🌍 🌱 🌸 🐶 🐱 ☕ 🍕",
].map((row) => row.split(" "));

export type PickerProps = { close: () => unknown };

/** Emoji in one row of the grid. */
const COLUMNS = 8;

/** How far an arrow key moves in the grid. */
const STEPS: { readonly [key: string]: number | undefined } = {
  ArrowRight: 1,
  ArrowLeft: -1,
  ArrowDown: COLUMNS,
  ArrowUp: -COLUMNS,
};

const fieldOf = ({ shell }: Needs<"shell">): HTMLTextAreaElement | null => shell.root.querySelector("#message");

/** Inserts an emoji at the caret of the text field. */
function insert(ui: Needs<"shell" | "chat">, emoji: string): void {
  const field = fieldOf(ui);
  if (!field) return;
  field.setRangeText(emoji, field.selectionStart, field.selectionEnd, "end");
  ui.chat.draft.value = field.value;
}

/** Moves the focus by an arrow key. In right-to-left text the horizontal keys change places. */
function move({ shell: { root } }: Needs<"shell">, event: KeyboardEvent, buttons: readonly HTMLElement[]): void {
  const [first] = buttons;
  const step = STEPS[event.key];
  if (step === undefined || !first) return;
  const isMirrored = getComputedStyle(first).direction === "rtl" && step % COLUMNS !== 0;
  buttons[buttons.indexOf(root.activeElement as HTMLElement) + (isMirrored ? -step : step)]?.focus();
  event.preventDefault();
}

/**
 * Closes the picker when the visitor presses Escape, or presses or focuses something else. Escape is caught before the panel
 * hears of it, wherever the focus is: it closes what was opened last.
 */
function closeOutside(
  { shell: { root } }: Needs<"shell">,
  box: () => HTMLElement | null,
  close: (refocus: boolean) => void,
) {
  const ended = new AbortController();
  const elsewhere = ({ target }: Event): void => {
    const place = target as Element;
    // The button that opened the picker closes it by itself.
    if (!box()?.contains(place) && !place.closest(".composer [aria-expanded]")) close(false);
  };
  for (const type of ["pointerdown", "focusin"]) root.addEventListener(type, elsewhere, ended);
  root.addEventListener(
    "keydown",
    (event) => {
      if ((event as KeyboardEvent).key !== "Escape") return;
      event.preventDefault();
      close(true);
    },
    { capture: true, signal: ended.signal },
  );
  return () => ended.abort();
}

export const Picker = live<PickerProps>((ui: Needs<"t" | "shell" | "chat" | "isOpen">, mounted, { close: hide }) => {
  const { t, shell } = ui;
  let box: HTMLElement | null = null;
  const all = (): HTMLElement[] => [...(box?.querySelectorAll("button") ?? [])];
  let isOpen = true;
  const close = (refocus: boolean): void => {
    // `hide` toggles, and to give the focus back is one more reason to close.
    if (!isOpen) return;
    isOpen = false;
    hide();
    if (refocus) fieldOf(ui)?.focus();
  };
  mounted(() => adopt(shell.root, css));
  mounted(() => all()[0]?.focus());
  mounted(() => closeOutside(ui, () => box, close));
  mounted(watch(() => ui.isOpen.value || close(false)));
  const choose = (emoji: string): void => {
    close(true);
    insert(ui, emoji);
  };
  return () => (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
    <div
      ref={(node) => {
        box = node;
      }}
      class="emoji"
      role="group"
      aria-label={t("emoji")}
      onKeyDown={(event) => move(ui, event, all())}
    >
      {EMOJI.map((group, at) => (
        <div key={group[0]}>
          {group.map((emoji, place) => (
            <button key={emoji} type="button" tabIndex={at + place ? -1 : 0} onClick={() => choose(emoji)}>
              {emoji}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
});
