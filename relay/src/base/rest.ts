import type { Readable } from "node:stream";

/**
 * Reads and discards what a client still sends after it was refused: it may have to send it before it reads the answer.
 * @param most how long it may take, in milliseconds, and how many bytes it may be
 * @param late called beyond one of them, unless cancelled before
 * @returns a function that cancels
 */
export function limitRest(stream: Readable, most: { ms: number; bytes: number }, late: () => void): () => void {
  let size = 0;
  const cancel = (): void => clearTimeout(timer);
  const end = (): void => {
    cancel();
    late();
  };
  const timer = setTimeout(end, most.ms);
  timer.unref();
  stream.on("data", (part: Buffer) => {
    size += part.length;
    if (size > most.bytes) end();
  });
  stream.once("error", cancel).once("close", cancel);
  stream.resume();
  // Marks a request's body as read by us: otherwise Node discards the rest once the answer is sent, without a limit.
  stream.read(0);
  return cancel;
}
