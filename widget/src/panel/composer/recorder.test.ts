// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { canRecord, record, secondsFor } from "./recorder.ts";
import { timeOf, waveOf } from "./recording-bar.tsx";
import { titleOf } from "./tools.tsx";

/** Microphone tracks that are running. */
let live: number;
let now: number;
class FakeRecorder {
  static isTypeSupported = (type: string): boolean => type.includes("ogg");
  state = "inactive";
  mimeType = "";
  onstop = (): void => {};
  ondataavailable = (_: { data: Blob }): void => {};
  constructor(_stream: unknown, { mimeType }: { mimeType: string }) {
    this.mimeType = mimeType;
  }
  start(): void {
    this.state = "recording";
  }
  stop(): void {
    this.state = "inactive";
    this.ondataavailable({ data: new Blob(["sound"]) });
    queueMicrotask(() => this.onstop());
  }
}
class FakeAudio {
  createAnalyser = () => ({ fftSize: 0, getByteTimeDomainData: (samples: Uint8Array) => samples.fill(160) });
  createMediaStreamSource = () => ({ connect() {} });
  close(): void {}
}

beforeEach(() => {
  vi.useFakeTimers();
  [live, now] = [0, 0];
  const getUserMedia = async () => {
    live++;
    return { getTracks: () => [{ stop: () => live-- }] };
  };
  vi.stubGlobal("MediaRecorder", FakeRecorder);
  vi.stubGlobal("AudioContext", FakeAudio);
  vi.stubGlobal("navigator", { mediaDevices: { getUserMedia } });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
const begin = (bytes = 1_000_000) => record({ bytes, now: () => now });
const pass = (ms: number): void => {
  now += ms;
  vi.advanceTimersByTime(ms);
};

describe("a voice message", () => {
  it("becomes a file in the best format that the browser supports, and releases the microphone", async () => {
    const recording = await begin();
    pass(2_500);
    expect([recording.seconds.value, live]).toEqual([2, 1]);
    const file = await recording.finish("Voice message");
    expect([file?.name, file?.type, live]).toEqual(["Voice message.ogg", "audio/ogg", 0]);
  });

  it("gives no file after it was discarded, or when it is finished a second time", async () => {
    const recording = await begin();
    recording.discard();
    expect([await recording.finish("x"), live]).toEqual([undefined, 0]);
    const other = await begin();
    expect(await other.finish("x")).toBeDefined();
    expect(await other.finish("x")).toBeUndefined();
  });

  it("stops at the longest length that fits into an upload, and can still be sent", async () => {
    const recording = await begin(9_000);
    pass(3_000);
    expect([recording.isFull.value, live]).toEqual([true, 0]);
    expect((await recording.finish("x"))?.size).toBe(5);
  });

  it("reports the loudness", async () => {
    const recording = await begin();
    pass(300);
    expect(recording.levels.value).toHaveLength(3);
    expect(recording.levels.value[0]).toBeCloseTo(0.75);
    recording.discard();
  });

  it("releases the microphone when the recorder cannot start", async () => {
    vi.stubGlobal(
      "MediaRecorder",
      Object.assign(
        function Broken() {
          throw new Error("no codec");
        },
        { isTypeSupported: () => false },
      ),
    );
    await expect(begin()).rejects.toThrow("no codec");
    expect(live).toBe(0);
  });

  it("is not offered where the browser gives the page no microphone", () => {
    expect(canRecord()).toBe(true);
    vi.stubGlobal("navigator", {});
    expect(canRecord()).toBe(false);
  });

  it("is not offered where the browser has no encoder", () => {
    const isTypeSupported = (): boolean => {
      throw new DOMException("The MediaRecorder is unsupported on this platform", "NotSupportedError");
    };
    vi.stubGlobal("MediaRecorder", { isTypeSupported });
    expect(canRecord()).toBe(false);
    vi.stubGlobal("MediaRecorder", { isTypeSupported: () => false });
    expect(canRecord()).toBe(false);
  });

  it("lasts at most ten minutes", () => {
    expect([secondsFor(1e9), secondsFor(5_000_000), secondsFor(1)]).toEqual([600, 600, 1]);
  });
});

it("formats the time and the waveform of a recording", () => {
  expect([timeOf(5), timeOf(65), timeOf(600)]).toEqual(["0:05", "1:05", "10:00"]);
  expect(waveOf([0, 1])).toBe("M2 11.5v1M6 1v22");
});

it("names a recording by its length, with the comma of the language", () => {
  expect(titleOf("Voice message", 7, "en")).toBe("Voice message, 0:07");
  expect(titleOf("Sprachnachricht", 65, "de")).toBe("Sprachnachricht, 1:05");
  expect(titleOf("رسالة صوتية", 7, "ar")).toBe("رسالة صوتية، 0:07");
  expect(titleOf("语音消息", 7, "zh-Hans")).toBe("语音消息，0:07");
});
