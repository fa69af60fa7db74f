import { createHash } from "node:crypto";
import { DEPTH_MAX, REPLY_MAX } from "@porchlight/shared/limits";
import { cut, isBlank } from "@porchlight/shared/text";
import { tooDeep } from "../base/depth.ts";
import type { ContactExternalId } from "../base/parties.ts";

/**
 * What the service tells us at the reply address. `userId` may work as a credential at the service: it is dropped here
 * and goes no further.
 */
export type Callback =
  | {
      kind: "reply";
      /** The visitor: the `fromId` we sent. */
      toId: ContactExternalId;
      text: string;
      /** Absent when the service gave none: `digest` stands in for it then. */
      messageId: string | undefined;
      contactId: string | undefined;
      channel: string | undefined;
      /** SHA-256 of the body, base64url. */
      digest: string;
    }
  | { kind: "recharge"; key: string }
  | { kind: "refused"; code: "bad_json" | "too_deep" | "missing_field"; field?: string };

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Text or number as text: ids come as either. Anything else is absent. */
const scalar = (value: unknown): string | undefined => {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** Envelopes seen around the six fields. */
const WRAPPERS = ["customData", "data", "message"];
/** Fields in which a person's file may arrive. */
const FILE_FIELDS = ["mediaUrl", "media_url", "attachmentUrl", "fileUrl"];

function unwrap(fields: Fields): Fields {
  if (fields.toId !== undefined || fields.idempotency_key !== undefined) return fields;
  const inner = WRAPPERS.map((name) => fields[name]).find(isFields);
  return inner === undefined ? fields : { ...fields, ...inner };
}

/** Form encoding and JSON are both taken, whatever the content type says. */
function fieldsOf(raw: string): Fields | undefined {
  const text = raw.trim();
  if (!text.startsWith("{")) {
    return text.includes("=") && !text.startsWith("[") ? Object.fromEntries(new URLSearchParams(text)) : undefined;
  }
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const clean = (text: string): string => cut(text.toWellFormed().replaceAll("\0", ""), REPLY_MAX);

/** The words of a reply, or those that stand for a file without words; nothing when there is neither. */
function wordsOf(fields: Fields): string | undefined {
  const body = typeof fields.body === "number" ? String(fields.body) : fields.body;
  const file = FILE_FIELDS.map((name) => fields[name]).find((value) => typeof value === "string" && value !== "");
  const link = typeof file === "string" && file.startsWith("https://") ? file : undefined;
  if (typeof body === "string" && !isBlank(body)) return clean(link === undefined ? body : `${body}\n${link}`);
  if (link !== undefined) return clean(link);
  return body === "" || file !== undefined ? "[attachment – not available here]" : undefined;
}

/**
 * Reads a callback's body (interface section 6; ).
 * @param raw the body as text, already limited in size
 * @param hide is told the owner's id, so that it can be kept out of whatever the relay says
 */
export function parseCallback(raw: string, hide: (owner: string) => void = () => {}): Callback {
  if (tooDeep(raw, DEPTH_MAX)) return { kind: "refused", code: "too_deep" };
  const outer = fieldsOf(raw);
  if (outer === undefined) return { kind: "refused", code: "bad_json" };
  const fields = unwrap(outer);
  const owner = scalar(fields.userId);
  if (owner !== undefined) hide(owner);
  const toId = scalar(fields.toId);
  const key = scalar(fields.idempotency_key) ?? scalar(fields.idempotencyKey);
  if (toId === undefined) {
    return key === undefined ? { kind: "refused", code: "missing_field", field: "toId" } : { kind: "recharge", key };
  }
  const text = wordsOf(fields);
  if (text === undefined) return { kind: "refused", code: "missing_field", field: "body" };
  return {
    kind: "reply",
    toId,
    text,
    messageId: scalar(fields.messageId),
    contactId: scalar(fields.contactId),
    channel: scalar(fields.channel),
    digest: createHash("sha256").update(raw).digest("base64url"),
  };
}
