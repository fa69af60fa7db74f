import type { Readable } from "node:stream";

/** A client that is sent away may send this many bytes more. */
const REST_MAX = 1024 * 1024;

/**
 * Reads and discards what a client still sends after it was refused: it may have to send it before it reads the answer.
 * @param ms how long it may take
 * @param late called after 1 MB or after `ms`, unless cancelled before
 * @returns a function that cancels
 */
export function limitRest(stream: Readable, ms: number, late: () => void): () => void {
  let size = 0;
  const cancel = (): void => clearTimeout(timer);
  const end = (): void => {
    cancel();
    late();
  };
  const timer = setTimeout(end, ms);
  timer.unref();
  stream.on("data", (part: Buffer) => {
    size += part.length;
    if (size > REST_MAX) end();
  });
  stream.once("error", cancel).once("close", cancel);
  stream.resume();
  // Marks a request's body as read by us: otherwise Node discards the rest once the answer is sent, without a limit.
  stream.read(0);
  return cancel;
}
