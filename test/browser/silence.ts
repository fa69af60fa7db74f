/** Audio for uploads. */

/** Samples a second, the fewest that Chromium plays. */
const SAMPLES = 3_000;
/** A WAV file of this many seconds of silence, one byte for each sample. */
export function silence(seconds: number): Buffer {
  const file = Buffer.alloc(44 + seconds * SAMPLES, 128);
  file.write("RIFF");
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WAVEfmt ", 8);
  file.writeUInt32LE(16, 16);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    file.writeUInt16LE(value, at);
  for (const at of [24, 28]) file.writeUInt32LE(SAMPLES, at);
  file.write("data", 36);
  file.writeUInt32LE(seconds * SAMPLES, 40);
  return file;
}
