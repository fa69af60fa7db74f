/**
 * The form in which the visitor writes: text field, files, emoji, send button. The field is never disabled: it keeps
 * the text in every state of the connection.
 */

import { TEXT_MAX } from "@porchlight/shared/limits";
import { isBlank } from "@porchlight/shared/text";
import { signal } from "@preact/signals-core";
import type { ComponentType } from "preact";
import type { charsLeft as CharsLeft } from "../base/chars-left.ts";
import { component, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { Icon } from "../base/icons.tsx";
import { into, toggler } from "../base/late-parts.ts";
import type { PickerProps } from "./emoji.tsx";

/** Text length at which the character counter is fetched. It is shown from 90 % of the limit. */
const COUNTER_FROM = 0.85 * TEXT_MAX;

type ComposerNeeds = Needs<
  "t" | "settings" | "chat" | "send" | "shell" | "isOpen" | "part" | "files" | "adding" | "addFiles" | "forms"
>;

/** Whether the visitor points with a mouse or a trackpad. Touch keyboards have emoji. */
const hasMouse = (): boolean => matchMedia("(pointer:fine)").matches;

/** Whether large text leaves the field little room, as `composer.css` has it. */
const isTight = (): boolean => matchMedia("(max-width:17em)").matches;

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
  ui.addFiles(input.files ?? []);
  input.value = "";
  fieldOf(ui)?.focus();
}

/** Fits the field's height to its text, in browsers without CSS `field-sizing`. */
async function fitField(ui: Needs<"shell">): Promise<void> {
  const field = fieldOf(ui);
  // Right after sending, the field may still hold the text that was sent.
  if (!field?.value || CSS.supports("field-sizing", "content")) return;
  const { fit } = await import("./fit-height.ts");
  fit(field);
}

/** Why the relay refused the last message, in words; false if it did not. */
function refusalOf({ t, chat }: Needs<"t" | "chat">): string | false {
  const code = chat.notice.value?.code;
  return (code === "rate_limited" && t("often")) || (code === "try_later" && t("tryLater"));
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

/** The text field. Not a component: it is drawn with the composer. */
const messageField = (ui: ComposerNeeds, text: string, hint: string | false) => (
  <textarea
    id="message"
    rows={1}
    // In an empty field `auto` means left to right, for the placeholder too.
    dir={text ? "auto" : undefined}
    placeholder={ui.t(isTight() ? "message" : "placeholder")}
    aria-describedby={hint ? "left" : undefined}
    value={text}
    onInput={(event) => onInput(ui, event.currentTarget.value)}
    onKeyDown={(event) => onKeyDown(ui, event)}
    onPaste={(event) => onPaste(ui, event)}
  />
);

/** The form. The character counter and the emoji picker are fetched when they are first needed. */
export const Composer = component((ui: ComposerNeeds, mounted) => {
  const { t, chat, settings, files, isOpen, forms, part } = ui;
  const picker = signal<{ Picker: ComponentType<PickerProps> } | undefined>(undefined);
  const counter = signal<{ charsLeft: typeof CharsLeft } | undefined>(undefined);
  const togglePicker = toggler(ui, picker, () => import("./emoji.tsx"));
  const closePicker = (): void => {
    picker.value = undefined;
  };
  mounted(
    watch(() => {
      if (chat.draft.value.length > COUNTER_FROM && !counter.peek())
        void part(() => import("./counter.ts"), into(counter));
      if (isOpen.value) void fitField(ui);
    }),
  );
  return () => {
    const text = chat.draft.value;
    const Tools = forms.value?.Tools;
    const { Picker } = picker.value ?? {};
    const Tray = files.value?.Tray;
    const hint = counter.value?.charsLeft(t, text, TEXT_MAX) || refusalOf(ui);
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
          {Tools && <Tools />}
          {settings.value.emojiPicker && hasMouse() && (
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
