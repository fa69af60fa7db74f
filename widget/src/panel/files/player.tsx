/** The player of a voice message or another audio file: a button, a slider and the time. Fetched with the first such file. */

import { signal } from "@preact/signals-core";
import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";
import { component, watch } from "../base/component.ts";
import type { Needs } from "../base/context.ts";
import { draw } from "../base/icons.tsx";
import { adopt } from "../base/style.ts";
import css from "./player.css?inline";

addEnglish(rare);

const PLAY = "M8.5 5.5v13l10-6.5Z";
const PAUSE = "M9 6v12M15 6v12";
/** An arrow key moves by this part of the length, and by at least this many seconds. */
const [STEP_PART, STEP_SECONDS] = [0.05, 1];
/** Directions of the arrow keys. The slider runs from left to right in all languages, like those of other players. */
const ARROWS: { readonly [key: string]: number } = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
/** A position after the end of every file, in seconds. */
const LATE_SECONDS = 1e9;

/** Shadow roots that already have the style sheet. */
const styled = new WeakSet<ShadowRoot>();
/** The file that plays. Another one that starts pauses it. */
let playing: HTMLAudioElement | undefined;

/** A length as minutes and seconds: "1:05". */
const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

/** Position and length in seconds, and whether the file plays, as its element reports them. */
function followPlayback() {
  const [at, length, isPlaying] = [signal(0), signal(0), signal(false)];
  let isMeasuring = false;
  return {
    at,
    length,
    isPlaying,
    events: {
      onDurationChange({ currentTarget: audio }: { currentTarget: HTMLAudioElement }): void {
        // A file that a browser recorded does not contain its length. The browser finds it by seeking to the end.
        if (audio.duration === Number.POSITIVE_INFINITY) {
          isMeasuring = true;
          audio.currentTime = LATE_SECONDS;
          return;
        }
        length.value = audio.duration || 0;
        if (isMeasuring) audio.currentTime = 0;
        isMeasuring = false;
      },
      onTimeUpdate({ currentTarget: audio }: { currentTarget: HTMLAudioElement }): void {
        if (!isMeasuring) at.value = audio.currentTime;
      },
      onPlay({ currentTarget: audio }: { currentTarget: HTMLAudioElement }): void {
        if (playing !== audio) playing?.pause();
        playing = audio;
        isPlaying.value = true;
      },
      onPause(): void {
        isPlaying.value = false;
      },
      onEnded({ currentTarget: audio }: { currentTarget: HTMLAudioElement }): void {
        audio.currentTime = 0;
      },
    },
  };
}

/** `onError`: the file cannot be loaded. */
export type PlayerProps = { src: string; name: string; onError: () => void };

/** The player. Only one file of the conversation plays at a time. */
export const Player = component<PlayerProps>(({ t, shell }: Needs<"t" | "shell">, mounted) => {
  const { at, length, isPlaying, events } = followPlayback();
  let audio: HTMLAudioElement | null = null;
  let slider: HTMLElement | null = null;
  if (!styled.has(shell.root)) adopt(shell.root, css);
  styled.add(shell.root);
  /** The part that has been played, 0 to 1. */
  const part = (): number => length.value && at.value / length.value;
  mounted(() => () => audio?.pause());
  mounted(watch(() => slider?.style.setProperty("--part", `${part() * 100}%`)));
  const setAudio = (node: HTMLAudioElement | null): void => {
    audio = node;
  };
  const setSlider = (node: HTMLElement | null): void => {
    slider = node;
  };
  const seek = (seconds: number): void => {
    if (audio) audio.currentTime = at.value = Math.min(Math.max(0, seconds), length.value);
  };
  const toggle = (): void => {
    if (!audio?.paused) audio?.pause();
    // A file that cannot be played also reports an error, and becomes a link.
    else audio.play().catch(() => {});
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const direction = ARROWS[event.key];
    if (!direction) return;
    event.preventDefault();
    seek(at.value + direction * Math.max(STEP_SECONDS, STEP_PART * length.value));
  };
  return ({ src, name, onError }) => (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
    <div class="sound" dir="ltr" role="group" aria-label={name}>
      <button type="button" aria-label={t(isPlaying.value ? "pause" : "play")} onClick={toggle}>
        {draw(isPlaying.value ? PAUSE : PLAY)}
      </button>
      <input
        ref={setSlider}
        type="range"
        min={0}
        max={1}
        step="any"
        value={part()}
        aria-label={name}
        aria-valuetext={`${clock(at.value)} / ${clock(length.value)}`}
        onInput={(event) => seek(Number(event.currentTarget.value) * length.value)}
        onKeyDown={onKeyDown}
      />
      <time aria-hidden="true" translate={false}>
        {clock(at.value || length.value)}
      </time>
      <audio ref={setAudio} src={src} preload="metadata" onError={onError} {...events} />
    </div>
  );
});
