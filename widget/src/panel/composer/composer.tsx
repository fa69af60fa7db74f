/** The field in which the visitor writes. Never disabled: the text is kept, whatever the state of the connection. */

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

/** The counter appears when this many characters are left. */
const FEW = TEXT_MAX / 10;

/** How many characters there is room for yet, or how many are too many, in words; nothing where that is far off. */
export function roomLeft(t: Translate, { length }: string): string | false {
  const left = TEXT_MAX - length;
  return left < 0 ? t("tooLong", { n: -left }) : left <= FEW && t("left", { n: left });
}
type ComposerNeeds = Needs<"t" | "settings" | "chat" | "send" | "isOpen" | "part" | "files" | "adding" | "addFiles">;

export const Composer = live((ui: ComposerNeeds, mounted) => {
  const { t, chat, send, settings, files, adding, addFiles, isOpen } = ui;
  const { draft } = chat;
  const picker = signal<{ Picker: ComponentType<PickerProps> } | undefined>(undefined);
  let field: HTMLTextAreaElement | null = null;
  const fine = matchMedia("(pointer:fine)").matches;
  // From the very pick on: a text that is sent while the code of the tray comes would leave its picture behind.
  const filesState = () => (adding.value ? "uploading" : (files.value?.state.value ?? "none"));
  const sendable = (text: string): boolean =>
    text.length <= TEXT_MAX && filesState() !== "uploading" && (!isBlank(text) || filesState() === "ready");
  const submit = (event: Event): void => {
    event.preventDefault();
    const text = draft.peek();
    if (!sendable(text)) return;
    field?.focus();
    const tray = files.peek();
    const went = send(text.trim(), tray?.ready());
    // The outbox is full: keep the visitor's text and files here.
    if (went === 0) return;
    draft.value = "";
    tray?.sent(went);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // 229: an input method is composing. Safari has ended the composition by then (WebKit bug 165004).
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    // On touch screens Enter is the only way to a new line; a keyboard there sends with Ctrl or Cmd.
    if (fine || event.ctrlKey || event.metaKey) submit(event);
  };
  const onInput = (event: { currentTarget: HTMLTextAreaElement }): void => {
    draft.value = event.currentTarget.value;
    if (!isBlank(draft.peek())) chat.typing();
  };
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = event.clipboardData?.files;
    if (!pasted?.length || !settings.peek().attachments) return;
    event.preventDefault();
    addFiles(pasted);
  };
  const pick = (event: { currentTarget: HTMLInputElement }): void => {
    addFiles([...(event.currentTarget.files ?? [])]);
    event.currentTarget.value = "";
    field?.focus();
  };
  const togglePicker = toggler(ui, picker, () => import("./emoji.tsx"));
  const insert = (emoji?: string): void => {
    picker.value = undefined;
    if (emoji !== "") field?.focus();
    if (emoji && field) {
      field.setRangeText(emoji, field.selectionStart, field.selectionEnd, "end");
      draft.value = field.value;
    }
  };
  // As high as its text, up to what the style sheet allows. Measured in a form that keeps its height: the thread must not
  // get the room for a moment, or it loses its end.
  const grow = (): void => {
    const form = field?.form;
    if (!field || !form) return;
    form.style.height = `${form.offsetHeight}px`;
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight}px`;
    form.style.height = "";
  };
  mounted(
    watch(() => {
      draft.value;
      // After the text has been drawn, before it is seen.
      if (isOpen.value && !CSS.supports("field-sizing", "content")) requestAnimationFrame(grow);
    }),
  );
  return () => {
    const text = draft.value;
    const code = chat.notice.value?.code;
    const words =
      roomLeft(t, text) || (code === "rate_limited" && t("often")) || (code === "try_later" && t("tryLater"));
    const { Picker } = picker.value ?? {};
    const Tray = files.value?.Tray;
    return (
      <form class="composer" onSubmit={submit}>
        {Picker && <Picker choose={insert} />}
        {Tray && <Tray />}
        <div class="field">
          {settings.value.attachments && (
            <label class="tool">
              <input type="file" multiple class="vh" aria-label={t("attach")} onChange={pick} />
              <Icon name="attach" />
            </label>
          )}
          <label class="vh" for="message">
            {t("message")}
          </label>
          <textarea
            ref={(node) => {
              field = node;
            }}
            id="message"
            rows={1}
            // Without text `auto` is left to right, and so would the placeholder be.
            dir={text ? "auto" : undefined}
            placeholder={t("placeholder")}
            aria-describedby={words ? "left" : undefined}
            value={text}
            onInput={onInput}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
          />
          {fine && (
            <button type="button" class="tool" aria-label={t("emoji")} aria-expanded={!!Picker} onClick={togglePicker}>
              <Icon name="emoji" />
            </button>
          )}
          <button
            type="submit"
            class="send"
            aria-label={t("send")}
            disabled={!sendable(text)}
            // The field keeps the focus, so that a phone's keyboard stays open.
            onPointerDown={(event) => event.preventDefault()}
          >
            <Icon name="send" />
          </button>
        </div>
        {words && (
          <p id="left" key={words} class={text.length > TEXT_MAX ? "counter over" : "counter"}>
            {words}
          </p>
        )}
      </form>
    );
  };
});
