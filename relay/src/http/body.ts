import type { IncomingMessage, ServerResponse } from "node:http";
import { RelayError } from "../base/errors.ts";
import { discardUnreadRest } from "../base/unread-rest.ts";
import type { BodyBudget, PendingBody } from "./body-budget.ts";

/** After a refusal, the client may send this much more, so that a browser reads the answer. */
const LINGER = { ms: 500, bytes: 1024 * 1024 };

/**
 * Reads a request's body and counts its bytes: at most `max` bytes are kept at any time. A length header above the limit is
 * refused at once; a smaller one is not trusted (RELIABILITY A24). Reads Node's stream, because the framework's body-limit
 * middleware makes requests five times as expensive.
 * @param max bytes
 * @param budget limits the sum of bodies; absent for callers that have shown a secret
 * @throws RelayError `too_large`, and closes the connection if the client sends more; `cut_off` when the client disconnected;
 * `try_later` when the budget is used up
 */
export function readBytes(incoming: IncomingMessage, max: number, budget?: BodyBudget): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const pending: PendingBody = { size: 0, cutOff: () => refuse(new RelayError("try_later")) };
    const tooLarge = (): void => refuse(new RelayError("too_large", undefined, { max }));
    let size = 0;
    if (incoming.destroyed) return reject(new RelayError("cut_off"));
    if (Number(incoming.headers["content-length"]) > max) return tooLarge();
    incoming.on("data", take).once("end", done).once("close", cut).once("error", cut);

    function take(part: Buffer): void {
      size += part.length;
      if (size > max) return tooLarge();
      parts.push(part);
      budget?.add(pending, part.length);
    }
    function done(): void {
      detach();
      resolve(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts));
    }
    function cut(): void {
      detach();
      reject(new RelayError("cut_off"));
    }
    function detach(): void {
      budget?.remove(pending);
      incoming.off("data", take).off("end", done).off("close", cut).off("error", cut);
    }
    function refuse(error: RelayError): void {
      detach();
      parts.length = 0;
      closeUnlessDone(incoming);
      reject(error);
    }
  });
}

/** One decoder for all bodies: making one takes 3 µs, twenty times as long as decoding a callback. */
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Reads a body as text. @throws RelayError as `readBytes` does, and `bad_json` when it is not UTF-8 */
export async function readBody(incoming: IncomingMessage, max: number, budget?: BodyBudget): Promise<string> {
  const bytes = await readBytes(incoming, max, budget);
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new RelayError("bad_json");
  }
}

/** Whether a request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";

/**
 * Limits what a client may still send after its request was answered. A wrong token or address is answered before the body is
 * read; Node would then read and discard the whole body, 64 MB in 0.2 s (RELIABILITY A21).
 */
export function limitUnreadBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (!hasBody(incoming)) return;
  outgoing.once("prefinish", () => {
    if (!incoming.complete) closeUnlessDone(incoming);
  });
}

/**
 * Reads and discards the rest of a refused body: at most 1 MB in half a second. Destroys the connection of a client that
 * sends more (RELIABILITY A24).
 */
export function closeUnlessDone(incoming: IncomingMessage): void {
  const cancel = discardUnreadRest(incoming, LINGER, () => {
    if (!incoming.complete) incoming.socket.destroy();
  });
  incoming.once("end", cancel);
}
