import type { Readable } from "node:stream";

/**
 * Reads and discards what a client still sends after a refusal, because the client may have to send all of it before it reads
 * the answer.
 * @param limits longest time in milliseconds, and most bytes
 * @param onExceeded called when either limit is exceeded, unless cancelled before
 * @returns a function that cancels
 */
export function discardUnreadRest(
  stream: Readable,
  limits: { ms: number; bytes: number },
  onExceeded: () => void,
): () => void {
  let size = 0;
  const cancel = (): void => clearTimeout(timer);
  const end = (): void => {
    cancel();
    onExceeded();
  };
  const timer = setTimeout(end, limits.ms);
  timer.unref();
  stream.on("data", (part: Buffer) => {
    size += part.length;
    if (size > limits.bytes) end();
  });
  stream.once("error", cancel).once("close", cancel);
  stream.resume();
  // Marks a request's body as read by the relay. Otherwise Node discards the rest without a limit once the answer is sent.
  stream.read(0);
  return cancel;
}
