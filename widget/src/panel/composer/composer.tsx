/** Where the visitor writes. Never disabled: the text is kept, whatever the state of the connection. */

import { TEXT_MAX } from "@porchlight/shared/limits";
import { isBlank } from "@porchlight/shared/text";
import { signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import type { Translate } from "../../text/i18n.ts";
import { live, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { Icon } from "../base/icons.tsx";
import { toggler } from "../base/late-parts.ts";
import type { PickerProps } from "./emoji.tsx";

/** The counter appears when at most this many characters are left. */
const FEW = TEXT_MAX / 10;

/** The characters that are left, or too many, in words. False while the limit is far. */
export function roomLeft(t: Translate, { length }: string): string | false {
  const left = TEXT_MAX - length;
  return left < 0 ? t("tooLong", { n: -left }) : left <= FEW && t("left", { n: left });
}

type ComposerNeeds = Needs<
  "t" | "settings" | "chat" | "send" | "shell" | "isOpen" | "part" | "files" | "adding" | "addFiles"
>;

/** Whether the visitor points with a mouse or a trackpad. Touch screens bring emoji on their own keyboard. */
const hasMouse = (): boolean => matchMedia("(pointer:fine)").matches;

const fieldOf = ({ shell }: Needs<"shell">): HTMLTextAreaElement | null => shell.root.querySelector("#message");

/** Whether a text can be sent now, with the files in the tray. */
function canSend({ adding, files }: Needs<"adding" | "files">, text: string): boolean {
  // Files count from the moment they are picked: a text sent while the tray's code loads would leave them behind.
  const state = adding.value ? "uploading" : files.value?.state.value;
  return text.length <= TEXT_MAX && state !== "uploading" && (!isBlank(text) || state === "ready");
}

function submit(ui: ComposerNeeds, event: Event): void {
  event.preventDefault();
  const { draft } = ui.chat;
  const text = draft.peek();
  if (!canSend(ui, text)) return;
  fieldOf(ui)?.focus();
  const tray = ui.files.peek();
  const count = ui.send(text.trim(), tray?.ready());
  // The outbox is full: keep the visitor's text and files.
  if (count === 0) return;
  draft.value = "";
  tray?.sent(count);
}

function onKeyDown(ui: ComposerNeeds, event: KeyboardEvent): void {
  // 229: an input method is composing. Safari has ended the composition by then (WebKit bug 165004).
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  // On touch screens Enter starts a new line; a hardware keyboard sends with Ctrl or Cmd.
  if (hasMouse() || event.ctrlKey || event.metaKey) submit(ui, event);
}

function onInput({ chat }: Needs<"chat">, text: string): void {
  chat.draft.value = text;
  if (!isBlank(text)) chat.typing();
}

function onPaste({ settings, addFiles }: Needs<"settings" | "addFiles">, event: ClipboardEvent): void {
  const pasted = event.clipboardData?.files;
  if (!pasted?.length || !settings.peek().attachments) return;
  event.preventDefault();
  addFiles(pasted);
}

function onPick(ui: Needs<"addFiles" | "shell">, input: HTMLInputElement): void {
  ui.addFiles([...(input.files ?? [])]);
  input.value = "";
  fieldOf(ui)?.focus();
}

/**
 * Makes the field as high as its text, up to the limit of the style sheet. The form keeps its height meanwhile: the thread
 * must not grow for a moment, or it loses its scroll position.
 */
function grow(ui: Needs<"shell">): void {
  const field = fieldOf(ui);
  const form = field?.form;
  if (!form) return;
  form.style.height = `${form.offsetHeight}px`;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
  form.style.height = "";
}

/** The counter, or why a message was not taken; false when there is nothing to say. */
function hintOf({ t, chat }: Needs<"t" | "chat">): string | false {
  const code = chat.notice.value?.code;
  return (
    roomLeft(t, chat.draft.value) || (code === "rate_limited" && t("often")) || (code === "try_later" && t("tryLater"))
  );
}

const attachButton = (ui: Needs<"t" | "addFiles" | "shell">) => (
  <label class="tool">
    <input
      type="file"
      multiple
      class="vh"
      aria-label={ui.t("attach")}
      onChange={(event) => onPick(ui, event.currentTarget)}
    />
    <Icon name="attach" />
  </label>
);

const hintLine = (hint: string, { length }: string) => (
  <p id="left" key={hint} class={length > TEXT_MAX ? "counter over" : "counter"}>
    {hint}
  </p>
);

/** The text field. Not a component: the composer draws it with all else. */
const messageField = (ui: ComposerNeeds, text: string, hint: string | false) => (
  <textarea
    id="message"
    rows={1}
    // Without text `auto` is left to right, and so would the placeholder be.
    dir={text ? "auto" : undefined}
    placeholder={ui.t("placeholder")}
    aria-describedby={hint ? "left" : undefined}
    value={text}
    onInput={(event) => onInput(ui, event.currentTarget.value)}
    onKeyDown={(event) => onKeyDown(ui, event)}
    onPaste={(event) => onPaste(ui, event)}
  />
);

export const Composer = live((ui: ComposerNeeds, mounted) => {
  const { t, chat, settings, files, isOpen } = ui;
  const picker = signal<{ Picker: ComponentType<PickerProps> } | undefined>(undefined);
  const togglePicker = toggler(ui, picker, () => import("./emoji.tsx"));
  const closePicker = (): void => {
    picker.value = undefined;
  };
  mounted(
    watch(() => {
      chat.draft.value;
      // After the text has been drawn, before it is seen.
      if (isOpen.value && !CSS.supports("field-sizing", "content")) requestAnimationFrame(() => grow(ui));
    }),
  );
  return () => {
    const text = chat.draft.value;
    const { Picker } = picker.value ?? {};
    const Tray = files.value?.Tray;
    const hint = hintOf(ui);
    return (
      <form class="composer" onSubmit={(event) => submit(ui, event)}>
        {Picker && <Picker close={closePicker} />}
        {Tray && <Tray />}
        <div class="field">
          {settings.value.attachments && attachButton(ui)}
          <label class="vh" for="message">
            {t("message")}
          </label>
          {messageField(ui, text, hint)}
          {hasMouse() && (
            <button type="button" class="tool" aria-label={t("emoji")} aria-expanded={!!Picker} onClick={togglePicker}>
              <Icon name="emoji" />
            </button>
          )}
          {/* Pressing it leaves the focus in the field, so that a phone's keyboard stays open. */}
          <button
            type="submit"
            class="send"
            aria-label={t("send")}
            disabled={!canSend(ui, text)}
            onPointerDown={(event) => event.preventDefault()}
          >
            <Icon name="send" />
          </button>
        </div>
        {hint && hintLine(hint, text)}
      </form>
    );
  };
});
