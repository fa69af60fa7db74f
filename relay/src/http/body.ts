import type { IncomingMessage } from "node:http";
import { RelayError } from "../base/errors.ts";

/**
 * A request's body as text, counted while it comes in: a length header is believed when it says too much, and never when it
 * says little enough (the body-limit advisories).
 * @param max bytes
 * @throws RelayError `too_large`, or `bad_json` when it is not UTF-8
 */
export async function readBody(incoming: IncomingMessage, max: number): Promise<string> {
  if (Number(incoming.headers["content-length"]) > max) throw new RelayError("too_large");
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > max) throw new RelayError("too_large");
    parts.push(part);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw new RelayError("bad_json");
  }
}
