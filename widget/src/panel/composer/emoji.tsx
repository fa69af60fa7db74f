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

/** `choose` is given nothing when the picker is to close, and "" when it is to close without taking the focus. */
export type PickerProps = { choose: (emoji?: string) => void };

/** Emoji in one row of the grid. */
const COLUMNS = 8;
type PickerNeeds = Needs<"t" | "shell" | "isOpen">;

export const Picker = live<PickerProps>(({ t, shell, isOpen }: PickerNeeds, mounted, { choose }) => {
  const { root } = shell;
  let box: HTMLElement | null = null;
  const all = (): HTMLElement[] => [...(box?.querySelectorAll("button") ?? [])];
  mounted(() => adopt(root, css));
  mounted(() => all()[0]?.focus());
  mounted(() => {
    const ended = new AbortController();
    const elsewhere = ({ target }: Event): void => {
      const place = target as Element;
      // The button that opened it closes it by itself.
      if (!box?.contains(place) && !place.closest(".composer [aria-expanded]")) choose("");
    };
    for (const type of ["pointerdown", "focusin"]) root.addEventListener(type, elsewhere, ended);
    // Wherever the focus is, and before the panel hears of it: Escape closes what was opened last.
    root.addEventListener(
      "keydown",
      (event) => {
        if ((event as KeyboardEvent).key !== "Escape") return;
        event.preventDefault();
        choose();
      },
      { capture: true, signal: ended.signal },
    );
    return () => ended.abort();
  });
  mounted(watch(() => isOpen.value || choose("")));
  const onKeyDown = (event: KeyboardEvent): void => {
    const buttons = all();
    const at = buttons.indexOf(root.activeElement as HTMLElement);
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS }[event.key];
    if (step !== undefined)
      buttons[
        at + (getComputedStyle(buttons[0] ?? shell.host).direction === "rtl" && step % COLUMNS ? -step : step)
      ]?.focus();
    else return;
    event.preventDefault();
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
      onKeyDown={onKeyDown}
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
