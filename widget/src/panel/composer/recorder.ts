/**
 * Records a voice message into a file. Requests the microphone when the visitor presses the button, and releases it at
 * the end.
 */

import { type ReadonlySignal, signal } from "@preact/signals-core";

export type Recording = {
  /** Seconds since the start. */
  seconds: ReadonlySignal<number>;
  /** The newest loudness values, 0 to 1, oldest first. */
  levels: ReadonlySignal<readonly number[]>;
  /** True once the recording has reached its limit and records no more. */
  isFull: ReadonlySignal<boolean>;
  /**
   * Ends the recording. Resolves with the file, or with undefined if there was no sound data. @param name file name
   * without extension
   */
  finish(name: string): Promise<File | undefined>;
  discard(): void;
};

/**
 * Formats to try, best first: AAC plays everywhere; Firefox records Ogg and Chromium WebM. The relay accepts all of
 * them as audio.
 */
const FORMATS = [
  { type: "audio/mp4;codecs=mp4a.40.2", extension: "m4a" },
  { type: "audio/ogg;codecs=opus", extension: "ogg" },
  { type: "audio/webm;codecs=opus", extension: "webm" },
  { type: "audio/mp4", extension: "m4a" },
] as const;

/** Speech needs no more than this many bits per second. */
const BITS_PER_SECOND = 32_000;
const LONGEST_SECONDS = 10 * 60;
const TICK_MS = 100;
/** Number of loudness values that are kept. */
const LEVEL_COUNT = 40;

/**
 * The best format that this browser records, if any. WebKit without media encoders has a `MediaRecorder` that always throws.
 */
function bestFormat(): (typeof FORMATS)[number] | undefined {
  try {
    return FORMATS.find(({ type }) => MediaRecorder.isTypeSupported(type));
  } catch {
    return undefined;
  }
}

/** Whether this browser can record. Pages without https have no `mediaDevices`. */
export const canRecord = (): boolean =>
  typeof navigator.mediaDevices?.getUserMedia === "function" && bestFormat() !== undefined;

/** Seconds of the longest recording that fits into an upload of this size. A tenth is left for the container. */
export const secondsFor = (bytes: number): number =>
  Math.max(1, Math.min(LONGEST_SECONDS, Math.floor((bytes * 8 * 0.9) / BITS_PER_SECOND)));

/** Measures the loudness of a stream, 0 to 1. Returns a function that reads it, and one that ends the measurement. */
function meter(stream: MediaStream): { level(): number; stop(): void } {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  analyser.fftSize = 512;
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Uint8Array(analyser.fftSize);
  return {
    level() {
      analyser.getByteTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + ((sample - 128) / 128) ** 2, 0) / samples.length;
      return Math.min(1, Math.sqrt(power) * 3);
    },
    stop: () => void context.close(),
  };
}

/**
 * Starts a recording, after the visitor has allowed the microphone.
 * @param options.bytes the largest file that the relay takes
 * @throws DOMException `NotAllowedError` when the visitor, the page's policy or the system refuses; others if there is
 *   no working microphone or recorder
 */
export async function record(options: { bytes: number; now?: () => number }): Promise<Recording> {
  const { bytes, now = Date.now } = options;
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const release = (): void => {
    for (const track of stream.getTracks()) track.stop();
  };
  try {
    const format = bestFormat();
    const recorder = new MediaRecorder(stream, {
      audioBitsPerSecond: BITS_PER_SECOND,
      ...(format && { mimeType: format.type }),
    });
    return run({ recorder, stream, release, longest: secondsFor(bytes), now, extension: format?.extension ?? "webm" });
  } catch (error) {
    release();
    throw error;
  }
}

type Started = {
  recorder: MediaRecorder;
  stream: MediaStream;
  release(): void;
  /** Seconds. */
  longest: number;
  extension: string;
  now(): number;
};

/** Runs a recorder: collects its data, counts the seconds, and stops it at the limit. */
function run({ recorder, stream, release, longest, extension, now }: Started): Recording {
  const seconds = signal(0);
  const levels = signal<readonly number[]>([]);
  const isFull = signal(false);
  const chunks: Blob[] = [];
  const { level, stop } = meter(stream);
  const startedAt = now();
  const ended = new Promise<void>((resolve) => {
    recorder.onstop = () => resolve();
  });
  recorder.ondataavailable = ({ data }) => void chunks.push(data);
  const timer = setInterval(() => {
    seconds.value = Math.floor((now() - startedAt) / 1_000);
    levels.value = [...levels.peek(), level()].slice(-LEVEL_COUNT);
    if (seconds.peek() >= longest) end();
  }, TICK_MS);
  const end = (): void => {
    clearInterval(timer);
    isFull.value = true;
    if (recorder.state !== "inactive") recorder.stop();
    stop();
    release();
  };
  recorder.start();
  let isOver = false;
  return {
    seconds,
    levels,
    isFull,
    async finish(name) {
      if (isOver) return undefined;
      isOver = true;
      if (!isFull.peek()) end();
      await ended;
      const [type = ""] = recorder.mimeType.split(";");
      const file = new File(chunks, `${name}.${extension}`, { type });
      return file.size > 0 ? file : undefined;
    },
    discard() {
      isOver = true;
      if (!isFull.peek()) end();
    },
  };
}
