/**
 * The emoji picker, for keyboards without emoji: a search in the visitor's language, a grid, and buttons that scroll to
 * a group. Fetched when first opened.
 */

import { type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import { emojiNames } from "../../text/emoji-words.ts";
import { createExtraWords, type ExtraTranslate } from "../../text/extra-words.ts";
import { component, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { Icon } from "../base/icons.tsx";
import { adopt } from "../base/style.ts";
import css from "./emoji.css?inline";
import { EMOJI_GROUPS } from "./emoji-list.ts";
import { findEmoji } from "./emoji-search.ts";

const ALL = EMOJI_GROUPS.flatMap(({ emoji }) => emoji);
/** Most search results that are shown. */
const FOUND_MAX = 48;

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

const buttonsIn = (box: Element | null): HTMLElement[] => [...(box?.querySelectorAll("button") ?? [])];

/**
 * Moves the focus between the buttons of one box by arrow key. In right-to-left text the left and right keys are
 * swapped.
 */
function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = STEPS[event.key];
  if (step === undefined) return;
  const buttons = buttonsIn(event.currentTarget);
  const isMirrored = getComputedStyle(event.currentTarget).direction === "rtl" && step % COLUMNS !== 0;
  buttons[buttons.indexOf(event.target as HTMLElement) + (isMirrored ? -step : step)]?.focus();
  event.preventDefault();
}

/**
 * Closes the picker on Escape, and when the visitor clicks or focuses something else. Handles Escape in the capture
 * phase, before the panel does: Escape closes only what was opened last.
 */
function closeOutside(
  { shell: { root } }: Needs<"shell">,
  box: () => HTMLElement | null,
  close: (refocus: boolean) => void,
) {
  const ended = new AbortController();
  const onOutside = ({ target }: Event): void => {
    const place = target as Element;
    // The button that opened the picker closes it by itself.
    if (!box()?.contains(place) && !place.closest(".composer [aria-expanded]")) close(false);
  };
  for (const type of ["pointerdown", "focusin"]) root.addEventListener(type, onOutside, ended);
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

type State = {
  t: ExtraTranslate | undefined;
  query: Signal<string>;
  /** Names in the visitor's language. */
  names: ReadonlySignal<readonly string[] | undefined>;
  /** Index of the group at the top of the list. */
  current: Signal<number>;
  choose(emoji: string): void;
};

/** Enter chooses the first result; the down arrow moves the focus to the results. */
function onSearchKey(event: KeyboardEvent & { currentTarget: HTMLInputElement }, { choose }: State): void {
  const [first] = buttonsIn(event.currentTarget.closest(".emoji")?.querySelector(".found") ?? null);
  if (event.key === "Enter") {
    // Otherwise the browser submits the form, which sends the message.
    event.preventDefault();
    if (event.currentTarget.value && first && !event.isComposing) choose(first.textContent ?? "");
  } else if (event.key === "ArrowDown") {
    event.preventDefault();
    first?.focus();
  }
}

const searchField = (state: State) => (
  <div class="find">
    <Icon name="search" />
    <input
      type="search"
      aria-label={state.t?.("emojiSearch") ?? ""}
      placeholder={state.t?.("emojiSearch") ?? ""}
      value={state.query.value}
      autocomplete="off"
      onInput={({ currentTarget }) => {
        state.query.value = currentTarget.value;
      }}
      onKeyDown={(event) => onSearchKey(event, state)}
    />
  </div>
);

const emojiButton = ({ names, choose }: State, emoji: string, isFirst: boolean) => (
  <button
    key={emoji}
    type="button"
    tabIndex={isFirst ? 0 : -1}
    // Screen readers know the emoji's name already; this is for those who see it.
    title={names.value?.[ALL.indexOf(emoji)]?.split(",")[0]}
    onClick={() => choose(emoji)}
  >
    {emoji}
  </button>
);

/** All emoji by group. */
const groups = (state: State) =>
  EMOJI_GROUPS.map(({ name, emoji }, at) => (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
    <div key={name} class={at ? "rest" : ""} role="group" aria-label={state.t?.(name) ?? ""}>
      <p aria-hidden="true">{state.t?.(name)}</p>
      {emoji.map((one, place) => emojiButton(state, one, at + place === 0))}
    </div>
  ));

function results(state: State) {
  const found = findEmoji(state.query.value, ALL, state.names.value).slice(0, FOUND_MAX);
  const { t } = state;
  return [
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
    <div key="found" role="group" aria-label={t?.("emojiSearch") ?? ""}>
      {found.map((one, place) => emojiButton(state, one, place === 0))}
    </div>,
    <p key="none" role="status">
      {!found[0] && state.names.value ? t?.("emojiNone") : ""}
    </p>,
  ];
}

/** Index of the group at the top of the list; at the list's end, of the last group, which may be too short to get there. */
function groupAtTop({ children, scrollTop, clientHeight, scrollHeight }: Element): number {
  if (scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 1) return children.length - 1;
  return Math.max(
    0,
    [...children].findLastIndex((group) => (group as HTMLElement).offsetTop <= scrollTop + 1),
  );
}

/** Buttons that scroll to a group. */
const groupButtons = ({ t, current }: State) => (
  // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the buttons
  <div class="groups" onKeyDown={moveFocus}>
    {EMOJI_GROUPS.map(({ name, emoji: [first] }, at) => (
      <button
        key={name}
        type="button"
        tabIndex={at ? -1 : 0}
        aria-label={t?.(name) ?? ""}
        aria-current={at === current.value ? "true" : undefined}
        title={t?.(name)}
        onClick={({ currentTarget }) => {
          const list = currentTarget.closest(".emoji")?.querySelector(".found");
          const group = list?.children[at] as HTMLElement | undefined;
          if (list && group) list.scrollTop = group.offsetTop;
        }}
      >
        {first}
      </button>
    ))}
  </div>
);

type PickerNeeds = Needs<"t" | "shell" | "chat" | "isOpen" | "language" | "settings">;

/** The picker. It closes itself when an emoji is chosen, when the focus leaves it, and when the chat closes. */
export const Picker = component<PickerProps>((ui: PickerNeeds, mounted, { close: hide }) => {
  const { t, shell, language } = ui;
  const { follow, words } = createExtraWords(ui, signal(undefined));
  const [query, names] = [signal(""), signal<readonly string[] | undefined>(undefined)];
  const current = signal(0);
  let box: HTMLElement | null = null;
  let isOpen = true;
  const close = (refocus: boolean): void => {
    // `hide` is a toggle, and moving the focus back calls `close` again: run it once.
    if (!isOpen) return;
    isOpen = false;
    hide();
    if (refocus) fieldOf(ui)?.focus();
  };
  const choose = (emoji: string): void => {
    close(true);
    insert(ui, emoji);
  };
  mounted(() => adopt(shell.root, css));
  mounted(() => box?.querySelector("input")?.focus());
  mounted(() => closeOutside(ui, () => box, close));
  mounted(watch(follow));
  mounted(
    () =>
      void emojiNames(language.peek().tag).then((found) => {
        names.value = found;
      }),
  );
  mounted(watch(() => ui.isOpen.value || close(false)));
  return () => {
    const state: State = { t: words(), query, names, current, choose };
    return (
      // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
      <div
        ref={(node) => {
          box = node;
        }}
        class="emoji"
        role="group"
        aria-label={t("emoji")}
      >
        {searchField(state)}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the buttons */}
        <div
          class="found"
          onKeyDown={moveFocus}
          onScroll={({ currentTarget }) => {
            current.value = groupAtTop(currentTarget);
          }}
        >
          {query.value.trim() ? results(state) : groups(state)}
        </div>
        {!query.value.trim() && groupButtons(state)}
      </div>
    );
  };
});
