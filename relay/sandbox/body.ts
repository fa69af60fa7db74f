/** Reading a request's body: size, content type, JSON object. */

import type { IncomingMessage as Request } from "node:http";
import { type Fields, isFields } from "@porchlight/shared/json-fields";
import { Refusal } from "./answers.ts";
import type { RequestEntry } from "./journal.ts";
import type { SandboxConfig } from "./options.ts";

/** The client disconnected before its body was complete. */
export class ClientGone extends Error {}

/** Bytes up to which the journal keeps a body. */
const BODY_KEPT = 16 * 1024;

const FORM = "application/x-www-form-urlencoded";

/** @throws Refusal TOO_LARGE or VALIDATION, ClientGone */
export async function readBody(req: Request, config: SandboxConfig, entry: RequestEntry): Promise<Fields> {
  const type = (req.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  const bytes = await collect(req, config);
  if (type === FORM && config.acceptForm) return formFields(bytes.toString("utf8"));
  if (type !== "application/json") throw new Refusal("VALIDATION", "Content-Type must be application/json");
  const body = parse(bytes);
  entry.body = bytes.length > BODY_KEPT ? `(${bytes.length} bytes)` : body;
  return body;
}

function collect(req: Request, config: SandboxConfig): Promise<Buffer> {
  const tooLarge = () =>
    new Refusal("TOO_LARGE", `Request body is larger than ${config.maxRequestBytes} bytes`, {
      status: config.oversizeStatus,
    });
  if (Number(req.headers["content-length"] ?? 0) > config.maxRequestBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= config.maxRequestBytes) chunks.push(chunk);
      else reject(tooLarge());
    });
    req.on("end", () => resolve(Buffer.concat(chunks)));
    req.on("error", () => reject(new ClientGone()));
    req.on("close", () => reject(new ClientGone()));
  });
}

function parse(bytes: Buffer): Fields {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new Refusal("VALIDATION", "Request body is not valid JSON");
  }
  if (!isFields(value)) throw new Refusal("VALIDATION", "Request body must be a JSON object");
  return value;
}

/** `customData[fromId]=…` becomes a nested field, as form encoders of web frameworks write it. */
function formFields(text: string): Fields {
  const fields: Fields = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const [, outer, inner] = /^(\w+)\[(\w+)\]$/.exec(name) ?? [];
    if (outer === undefined || inner === undefined) fields[name] = value;
    else fields[outer] = { ...(isFields(fields[outer]) ? fields[outer] : {}), [inner]: value };
  }
  return fields;
}
