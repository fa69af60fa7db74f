/** The bar over the text field while the microphone records: time, loudness, and buttons to discard or finish. */

import type { ExtraTranslate } from "../../text/extra-words.ts";
import { component } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { draw, Icon } from "../base/icons.tsx";
import type { Recording } from "./recorder.ts";

/** Path of the icon of a check mark. */
const CHECK_MARK = "m5.5 12.5 4.5 4.5 8.5-9.5";
/** Height of the waveform, and the distance between its lines, in SVG units. */
const [HEIGHT, STEP] = [24, 4];

type BarProps = { recording: Recording; t: ExtraTranslate; finish: () => unknown; discard: () => unknown };

/** A length as minutes and seconds: "1:05". */
export const timeOf = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

/** The waveform as an SVG path: one vertical line for each loudness value. */
export const waveOf = (levels: readonly number[]): string =>
  levels
    .map((level, at) => {
      const half = Math.max(0.5, (level * HEIGHT) / 2 - 1).toFixed(1);
      return `M${at * STEP + 2} ${HEIGHT / 2 - Number(half)}v${Number(half) * 2}`;
    })
    .join("");

/** The bar. Its last button has the focus at first; Escape discards the recording. */
export const RecordingBar = component<BarProps>((_: Needs<never>, mounted, { discard }) => {
  let done: HTMLElement | null = null;
  mounted(() => done?.focus());
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    // Escape ends the recording, not the chat.
    event.preventDefault();
    event.stopPropagation();
    discard();
  };
  return ({ recording, t, finish }) => (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
    <div class="recording" role="group" aria-label={t("recording")} onKeyDown={onKeyDown}>
      <button type="button" class="tool" aria-label={t("recordDiscard")} onClick={discard}>
        <Icon name="close" />
      </button>
      <i class={recording.isFull.value ? "full-stop" : ""} />
      <span>{timeOf(recording.seconds.value)}</span>
      <svg viewBox={`0 0 160 ${HEIGHT}`} preserveAspectRatio="xMaxYMid slice" aria-hidden="true">
        <path d={waveOf(recording.levels.value)} />
      </svg>
      <button
        ref={(node) => {
          done = node;
        }}
        type="button"
        class="send"
        aria-label={t("recordDone")}
        onClick={finish}
      >
        {draw(CHECK_MARK)}
      </button>
    </div>
  );
});
