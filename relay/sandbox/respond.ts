/** Writes answers, and applies faults to them. */

import type { ServerResponse } from "node:http";
import { type Answer, edgePage } from "./answers.ts";
import type { Clock } from "./clock.ts";
import type { Fault, FaultKind } from "./fault.ts";

const JSON_TYPE = "application/json";

type Wire = { status: number; headers: Record<string, string | number>; text: string };

function wire({ status, body, type, headers = {} }: Answer): Wire {
  if (body === undefined) return { status, headers: { ...headers, "Content-Length": 0 }, text: "" };
  const text = type === undefined ? JSON.stringify(body) : String(body);
  return {
    status,
    headers: { "Content-Type": type ?? JSON_TYPE, ...headers, "Content-Length": Buffer.byteLength(text) },
    text,
  };
}

/** Writes an answer. A closed connection is not an error, because the effect stays. @returns the status */
export function write(res: ServerResponse, answer: Answer): number {
  if (res.headersSent || res.destroyed) return 0;
  const { status, headers, text } = wire(answer);
  if (status === 204) delete headers["Content-Length"];
  res.writeHead(status, headers).end(text);
  return status;
}

/** Ends the connection with a TCP reset, whatever was written before. */
export const reset = (res: ServerResponse): void => void res.socket?.resetAndDestroy();

type FaultHandler = (res: ServerResponse, answer: Answer, fault: Fault, clock: Clock) => number;

/** Parts in which a slow body is sent. */
const SLOW_PARTS = 8;

function writeSlowly(res: ServerResponse, text: string, ms: number, clock: Clock): void {
  const size = Math.max(1, Math.ceil(text.length / SLOW_PARTS));
  let at = 0;
  const writePart = () => {
    if (res.destroyed) return;
    res.write(text.slice(at, at + size));
    at += size;
    if (at < text.length) clock.after(ms / SLOW_PARTS, writePart);
    else res.end();
  };
  writePart();
}

const hang: FaultHandler = (res, _, { ms }, clock) => {
  if (ms !== undefined) clock.after(ms, () => reset(res));
  return 0;
};
const cutOff: FaultHandler = (res) => {
  reset(res);
  return 0;
};

/** Applies each kind of fault to the answer. @returns the sent status; 0: none */
const FAULT_HANDLERS: Record<FaultKind, FaultHandler> = {
  status: (res, answer) => write(res, answer),
  emptyBody: (res, answer, { headers = {} }) => write(res, { status: answer.status, headers }),
  htmlError: (res, _, { status = 502, headers = {} }) => write(res, { ...edgePage(status), headers }),
  hangRequest: hang,
  hang,
  resetConnection: cutOff,
  resetAfterWrite: cutOff,
  cutBody: (res, answer) => {
    const { status, headers, text } = wire(answer);
    if (res.destroyed) return 0;
    res.writeHead(status, headers).write(text.slice(0, text.length / 2), () => res.destroy());
    return status;
  },
  truncateJson: (res, answer) => {
    const { text } = wire(answer);
    return write(res, { ...answer, body: text.slice(0, text.length / 2), type: JSON_TYPE });
  },
  slowBody: (res, answer, { ms = 1_000 }, clock) => {
    const { status, headers, text } = wire(answer);
    if (res.destroyed) return 0;
    res.writeHead(status, headers).flushHeaders();
    writeSlowly(res, text, ms, clock);
    return status;
  },
  delay: (res, answer, { ms = 1_000 }, clock) => {
    clock.after(ms, () => write(res, answer));
    return answer.status;
  },
};

/** Sends what the fault makes of the answer. @returns the status that was sent; 0: none */
export const applyFault = (res: ServerResponse, answer: Answer, fault: Fault, clock: Clock): number =>
  FAULT_HANDLERS[fault.kind](res, answer, fault, clock);
