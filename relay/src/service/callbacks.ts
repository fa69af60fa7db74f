import { hash } from "node:crypto";
import { type Fields, isFields } from "@porchlight/shared/json-fields";
import { DEPTH_MAX, REPLY_MAX } from "@porchlight/shared/limits";
import { cut, isBlank } from "@porchlight/shared/text";
import { tooDeep } from "../base/depth.ts";
import { parseExact } from "../base/exact-json.ts";
import type { ContactExternalId } from "../base/id-types.ts";
import { toMultiLine } from "../base/input-text.ts";
import { MISSING_FILE_TEXT } from "../base/missing-file.ts";

/**
 * A callback that the service sent to the reply address. `userId` may work as a credential at the service, so it is dropped
 * here.
 */
export type Callback =
  | {
      kind: "reply";
      /** The visitor: the `fromId` that the relay sent. */
      toId: ContactExternalId;
      text: string;
      /** The `data:` URL of a file that a person sent, unchanged. */
      file: string | undefined;
      /** The service's message id. When it is absent, `digest` identifies the message. */
      messageId: string | undefined;
      contactId: string | undefined;
      /** SHA-256 of the body, as base64url; only used when there is no message id, else empty. */
      digest: string;
    }
  | { kind: "recharge"; key: string }
  | { kind: "refused"; code: "bad_json" | "too_deep" | "missing_field"; field?: string };

/** A text or a number as text: ids arrive as either. @returns undefined for any other value */
const scalar = (value: unknown): string | undefined => {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** Longest id that is stored unchanged, in UTF-16 code units. The interface states no limit. */
const ID_MAX = 255;

/** An id of the service. An id that is longer than `ID_MAX` is replaced by its hash, so that different ids stay different. */
function idOf(value: unknown): string | undefined {
  const id = scalar(value);
  if (id === undefined || id.length <= ID_MAX) return id;
  return `~${hash("sha256", id, "base64url")}`;
}

/** An id that is only valid unchanged. @returns undefined when it is longer than `ID_MAX` */
function wholeId(value: unknown): string | undefined {
  const id = scalar(value);
  return id !== undefined && id.length <= ID_MAX ? id : undefined;
}

/** Wrapper objects around the six fields. */
const WRAPPERS = ["customData", "data", "message", "event", "payload"];
/** Fields that may contain a person's file. */
const FILE_FIELDS = ["mediaUrl", "media_url", "attachmentUrl", "fileUrl"];

/** Adds the fields of a wrapper object to the outer fields. */
function unwrap(fields: Fields): Fields {
  if (fields.toId !== undefined || fields.idempotency_key !== undefined) return fields;
  const inner = WRAPPERS.map((name) => fields[name]).find(isFields);
  return inner === undefined ? fields : { ...fields, ...inner };
}

/** Parses JSON or form encoding, whatever the content type says. */
function fieldsOf(raw: string): Fields | undefined {
  const text = raw.trim();
  if (!text.startsWith("{")) {
    return text.includes("=") && !text.startsWith("[") ? Object.fromEntries(new URLSearchParams(text)) : undefined;
  }
  try {
    const value = parseExact(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Most UTF-16 code units of a link. */
const LINK_MAX = 2_048;
/**
 * Most files of one callback that get a line each; the service sends one file. Each line is searched for in the text: with
 * thousands of lines, one callback held up the relay for seconds (RELIABILITY A32).
 */
const FILES_MAX = 20;

/** Whether a text is a link. The relay only shows it, and never fetches an address from a callback (RELIABILITY A20). */
const isLink = (text: string): boolean =>
  /^https?:\/\//i.test(text) && text.length <= LINK_MAX && !/[\s\p{Cc}]/u.test(text.trimEnd()) && URL.canParse(text);

/** The values of the file fields. A value that is not a text still counts as a file. */
const filesOf = (fields: Fields): string[] =>
  FILE_FIELDS.flatMap((name) => fields[name] ?? [])
    .map((value) => (typeof value === "string" ? value.trimStart() : "?"))
    .filter((value) => value !== "");

/** One line for each file: its address, or a sentence. Files above the limit have one sentence together. */
function linesOf(files: readonly string[]): string[] {
  const shown = files.slice(0, FILES_MAX).map((value) => (isLink(value) ? value.trimEnd() : MISSING_FILE_TEXT));
  return [...new Set(files.length > FILES_MAX ? [...shown, MISSING_FILE_TEXT] : shown)];
}

/** The text of a reply with one line per file, and its embedded file. @returns undefined when there is neither */
function contentOf(fields: Fields): { text: string; file: string | undefined } | undefined {
  const body = typeof fields.body === "number" ? String(fields.body) : fields.body;
  const words = typeof body === "string" && !isBlank(body) ? toMultiLine(body) : "";
  const files = filesOf(fields);
  const file = files.find((value) => /^data:/i.test(value));
  const others = [...new Set(files)].filter((value) => value !== file);
  const lines = linesOf(others).filter((line) => !words.includes(line));
  if (words === "" && files.length === 0) return body === "" ? { text: MISSING_FILE_TEXT, file } : undefined;
  // The lines about files are kept, even when the text is cut.
  const tail = cut(lines.join("\n"), REPLY_MAX / 2);
  const text = [cut(words, REPLY_MAX - tail.length - 1), tail].filter((part) => part !== "").join("\n");
  return { text, file };
}

/**
 * Parses the body of a callback (interface 6; ).
 * @param raw the body as text, already limited in size
 * @param hide receives the owner's id, so that the relay can remove it from its logs
 */
export function parseCallback(raw: string, hide: (owner: string) => void = () => {}): Callback {
  if (tooDeep(raw, DEPTH_MAX)) return { kind: "refused", code: "too_deep" };
  const outer = fieldsOf(raw);
  if (outer === undefined) return { kind: "refused", code: "bad_json" };
  const fields = unwrap(outer);
  const owner = wholeId(fields.userId);
  if (owner !== undefined) hide(owner);
  const toId = scalar(fields.toId);
  const key = scalar(fields.idempotency_key) ?? scalar(fields.idempotencyKey);
  if (toId === undefined) {
    return key === undefined ? { kind: "refused", code: "missing_field", field: "toId" } : { kind: "recharge", key };
  }
  const content = contentOf(fields);
  if (content === undefined) return { kind: "refused", code: "missing_field", field: "body" };
  const messageId = idOf(fields.messageId);
  return {
    kind: "reply",
    toId,
    ...content,
    messageId,
    contactId: wholeId(fields.contactId),
    digest: messageId === undefined ? hash("sha256", raw, "base64url") : "",
  };
}
