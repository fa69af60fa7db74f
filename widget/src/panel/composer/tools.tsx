/** Buttons for a phone's camera and for voice messages. Fetched only if the site switches one of them on. */

import { signal } from "@preact/signals-core";
import { rareSettings } from "../../settings/rare-options.ts";
import { createExtraWords, type ExtraTranslate } from "../../text/extra-words.ts";
import { component, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { draw } from "../base/icons.tsx";
import { adopt } from "../base/style.ts";
import { canRecord, type Recording, record } from "./recorder.ts";
import { RecordingBar, timeOf } from "./recording-bar.tsx";
import css from "./tools.css?inline";

const CAMERA = "M4 8.5h3.5L9 6h6l1.5 2.5H20v10H4ZM12 16.3a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z";
const MICROPHONE = "M12 14.5a3 3 0 0 0 3-3v-5a3 3 0 0 0-6 0v5a3 3 0 0 0 3 3ZM5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v2.5";

type ToolNeeds = Needs<
  "settings" | "language" | "chat" | "shell" | "isOpen" | "addFiles" | "announcer" | "focusComposer"
>;

const isPhone = (): boolean => matchMedia("(pointer:coarse)").matches;

/** Puts the page's prepared message into an empty text field, once. The visitor may change it. */
function prefill(ui: Pick<ToolNeeds, "settings" | "shell" | "chat">): void {
  const { chat } = ui;
  const { message } = rareSettings(ui).prefill;
  if (typeof message === "string" && !chat.draft.peek()) chat.draft.value = message;
}

/** The buttons that the site switches on and this browser supports, and the bar of a recording. */
export const Tools = component((ui: ToolNeeds, mounted) => {
  const { settings, shell, isOpen, chat } = ui;
  const { follow, words } = createExtraWords(ui, signal(undefined));
  const recording = signal<Recording | undefined>(undefined);
  const problem = signal<"micBlocked" | "micFailed" | undefined>(undefined);
  const discard = (): void => {
    recording.peek()?.discard();
    recording.value = undefined;
  };
  mounted(() => adopt(shell.root, css));
  mounted(watch(follow));
  mounted(() => prefill(ui));
  mounted(() => discard);
  // A recording ends with the chat, so that no visitor is recorded behind a closed panel or into another visitor's
  // conversation.
  mounted(watch(() => (!isOpen.value || chat.ending.value) && discard()));
  return () => {
    const t = words();
    const { voice, camera } = rareSettings(ui);
    const { attachments, uploads } = settings.value;
    if (!t) return null;
    const begin = (): unknown => start(ui, t, recording, problem);
    return (
      <>
        {camera && attachments && uploads?.image !== 0 && isPhone() && cameraButton(ui, t)}
        {voice && (uploads?.av ?? 0) > 0 && canRecord() && (
          <button type="button" class="tool" aria-label={t("record")} onClick={begin}>
            {draw(MICROPHONE)}
          </button>
        )}
        {problem.value && (
          <p class="counter over mic" role="alert">
            {t(problem.value)}
          </p>
        )}
        {recording.value && (
          <RecordingBar
            recording={recording.value}
            t={t}
            finish={() => finish(ui, t, recording)}
            discard={() => {
              discard();
              ui.focusComposer();
            }}
          />
        )}
      </>
    );
  };
});

const cameraButton = ({ addFiles, focusComposer }: ToolNeeds, t: ExtraTranslate) => (
  <label class="tool">
    <input
      type="file"
      accept="image/*"
      capture="environment"
      class="vh"
      aria-label={t("camera")}
      onChange={({ currentTarget: input }) => {
        addFiles([...(input.files ?? [])]);
        input.value = "";
        focusComposer();
      }}
    />
    {draw(CAMERA)}
  </label>
);

type Slot<Value> = { value: Value; peek(): Value };

/** Asks for the microphone and records. Says in words why it cannot. */
async function start(
  { settings, announcer, isOpen }: ToolNeeds,
  t: ExtraTranslate,
  recording: Slot<Recording | undefined>,
  problem: Slot<"micBlocked" | "micFailed" | undefined>,
): Promise<void> {
  problem.value = undefined;
  try {
    const begun = await record({ bytes: settings.peek().uploads?.av ?? 0 });
    // While the browser asked for permission, the visitor closed the chat or another recording began.
    if (!isOpen.value || recording.peek()) return begun.discard();
    recording.value = begun;
    announcer.status(t("recording"));
  } catch (error) {
    problem.value = (error as Error).name === "NotAllowedError" ? "micBlocked" : "micFailed";
  }
}

/** The comma between two parts of a name, where it is not the Latin one. */
const COMMAS: { readonly [tag: string]: string } = {
  am: "፣ ",
  ar: "، ",
  fa: "، ",
  ja: "、",
  my: "၊ ",
  ps: "، ",
  ur: "، ",
  "zh-Hans": "，",
  "zh-Hant": "，",
};

/** The title of a recording in the tray: "Voice message, 0:07". */
export const titleOf = (name: string, seconds: number, tag: string): string =>
  name + (COMMAS[tag] ?? ", ") + timeOf(seconds);

/** Ends the recording and puts it into the tray, where the visitor may still remove it. */
async function finish(
  { addFiles, focusComposer, language }: ToolNeeds,
  t: ExtraTranslate,
  recording: Slot<Recording | undefined>,
): Promise<void> {
  const name = t("voiceMessage");
  const ended = recording.peek();
  const file = await ended?.finish(name);
  recording.value = undefined;
  const title = ended && titleOf(name, ended.seconds.peek(), language.peek().tag);
  if (file && title) addFiles([Object.assign(file, { title, icon: MICROPHONE })]);
  focusComposer();
}
